import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProgram } from '../../src/system/find-program.ts'
import { agencScript, projectRoot } from '../helpers/cli.ts'
import { gitBench } from '../helpers/git.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

/** What a reader would see there, and what ends it. */
const interactive: Record<string, { shows: RegExp; keys: string; exitCode: number }> = {
  agenc: { shows: /-[0-9a-f]{8} /, keys: '\u0002d', exitCode: 0 },
  'agenc tmux attach': { shows: /-[0-9a-f]{8} /, keys: '\u0002d', exitCode: 0 },
  'agenc demo': { shows: /Step 1 of 6/, keys: '\u0002ad', exitCode: 0 },
  'agenc setup': { shows: /\?/, keys: '\u0003', exitCode: 130 },
}

/** Not run here: what they do has a test of its own, and needs a network or a clone. */
const elsewhere = [/^npm (start|test|install|ci|run)\b/, /^git clone\b/, /^cd agenc$/, /^sudo\b/, /^brew\b/]

/** `3f2a` in the docs stands for a mission of the reader's; `owner/name` is a repo that git finds on this disk. */
const exampleId = /\b3f2a\b/g

function blocksOf(page: string): string[][] {
  const text = readFileSync(join(projectRoot, page), 'utf8')
  return [...text.matchAll(/^```(sh|console)\n([\s\S]*?)^```/gm)].map(([, kind, block]) => {
    const lines = block!.split('\n').filter(line => line.trim() !== '' && !line.startsWith('#'))
    return kind === 'sh' ? lines : lines.filter(line => line.startsWith('$ ')).map(line => line.slice(2))
  })
}

/** Lines that belong to one shell stay together; what takes the terminal is alone. */
function partsOf(lines: readonly string[]): string[][] {
  const parts: string[][] = [[]]
  for (const line of lines) {
    if (elsewhere.some(pattern => pattern.test(line))) continue
    if (commandOf(line) in interactive) parts.push([line], [])
    else parts.at(-1)!.push(line)
  }
  return parts.filter(part => part.length > 0)
}

function commandOf(line: string): string {
  return line.replace(/\s+#.*$/, '').trim()
}

function readersMachine(): SessionBox {
  const box = sessionBox()
  const launcher = join(box.root, 'bin', 'agenc')
  writeFileSync(launcher, `#!/bin/sh\nexec '${process.execPath}' '${agencScript}' "$@"\n`)
  chmodSync(launcher, 0o755)
  const hub = join(box.root, 'hub')
  gitBench(box.root, box.env).repo('hub/owner/name.git')
  writeFileSync(join(box.home, '.gitconfig'), `[url "${hub}/"]\n  insteadOf = https://github.com/\n`)
  box.agenc(['config', 'set', 'claude.permission_mode', 'default'])
  box.agenc(['config', 'set', 'editor.command', '["true", "{dir}"]'])
  return box
}

/** The session as a reader has it by now: a part of the docs may have ended it. */
async function firstWindow(box: SessionBox): Promise<string> {
  const running = hasSession(box) ? box.windows().find(({ mission }) => mission !== '') : undefined
  return (running ?? (await box.start())).id
}

function hasSession(box: SessionBox): boolean {
  return spawnSync('tmux', ['has-session', '-t', '=agenc'], { env: box.env }).status === 0
}

async function runInTerminal(box: SessionBox, command: string): Promise<void> {
  const { shows, keys, exitCode } = interactive[command]!
  const terminal = openTerminal('/bin/sh', ['-c', command], { env: box.env, columns: 120, rows: 36 })
  await terminal.waitForText(shows)
  for (const key of keys) terminal.type(key)
  expect({ command, exitCode: await terminal.exited }).toEqual({ command, exitCode })
}

function runInShell(box: SessionBox, lines: readonly string[], window: string): void {
  const script = lines.join('\n')
  const env = { ...box.env, ...box.inside(window) }
  const done = spawnSync('/bin/sh', ['-e', '-c', script], { env, cwd: box.root, encoding: 'utf8' })
  expect({ script, exitCode: done.status, stderr: done.status === 0 ? '' : done.stderr }).toEqual({
    script,
    exitCode: 0,
    stderr: '',
  })
}

const timeout = 240_000

test.each(['README.md', 'docs/guide.md', 'docs/scripting.md'])(
  '%s: every command works',
  { timeout },
  async page => {
    const blocks = blocksOf(page)
    if (page !== 'README.md') expect(blocks.length).toBeGreaterThan(5)
    const box = readersMachine()
    if (page === 'docs/scripting.md') box.agenc(['repo', 'add', 'owner/name', '--trust'])
    const needsJq = /\bjq\b/
    if (findProgram('jq', box.env) === null) console.log('jq is not installed: the lines with it are not run')
    for (const part of blocks.flatMap(partsOf)) {
      const window = await firstWindow(box)
      const example = part.some(line => line.match(exampleId))
        ? (await box.startFrom(window, '--prompt', 'hello')).mission
        : ''
      const lines = part.map(line => line.replaceAll(exampleId, example))
      if (commandOf(lines[0]!) in interactive) await runInTerminal(box, commandOf(lines[0]!))
      else if (!needsJq.test(lines.join()) || findProgram('jq', box.env)) runInShell(box, lines, window)
      // From inside, the end of the session is also the end of who asked for it, and comes a moment later.
      if (lines.includes('agenc tmux kill')) await waitFor('the session to end', () => !hasSession(box))
    }
  },
)
