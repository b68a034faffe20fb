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

/** Commands that take over the terminal: the text they show, and the keys that end them. */
const interactive: Record<string, { shows: RegExp; keys: string; exitCode: number }> = {
  agenc: { shows: /· *\S.* idle/, keys: '\u0002d', exitCode: 0 },
  'agenc tmux attach': { shows: /· *\S.* idle/, keys: '\u0002d', exitCode: 0 },
  'agenc demo': { shows: /Step 1 of 6/, keys: '\u0002ad', exitCode: 0 },
  'agenc setup': { shows: /\?/, keys: '\u0003', exitCode: 130 },
}

/** Not run here, because they need the network or a fresh clone. Other tests cover them. */
const elsewhere = [/^npm (start|test|install|ci|run)\b/, /^git clone\b/, /^cd agenc$/, /^sudo\b/, /^brew\b/]

/** In the docs, `3f2a` stands for one of the reader's missions. It is replaced by the id of a real one. */
const exampleId = /\b3f2a\b/g

function blocksOf(page: string): string[][] {
  const text = readFileSync(join(projectRoot, page), 'utf8')
  return [...text.matchAll(/^```(sh|console)\n([\s\S]*?)^```/gm)].map(([, kind, block]) => {
    const lines = block!.split('\n').filter(line => line.trim() !== '' && !line.startsWith('#'))
    return kind === 'sh' ? lines : lines.filter(line => line.startsWith('$ ')).map(line => line.slice(2))
  })
}

/** Keeps lines for one shell together. A command that takes over the terminal becomes a part of its own. */
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

/** Returns a window of the session. Starts a new session if an earlier command has ended it. */
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
    if (findProgram('jq', box.env) === null)
      console.log('jq is not installed, so the commands that use it are skipped')
    for (const part of blocks.flatMap(partsOf)) {
      const window = await firstWindow(box)
      const example = part.some(line => line.match(exampleId))
        ? (await box.startFrom(window, '--prompt', 'hello')).mission
        : ''
      const lines = part.map(line => line.replaceAll(exampleId, example))
      if (commandOf(lines[0]!) in interactive) await runInTerminal(box, commandOf(lines[0]!))
      else if (!needsJq.test(lines.join()) || findProgram('jq', box.env)) runInShell(box, lines, window)
      // Inside the session, kill returns at once and ends the session a moment later.
      if (lines.includes('agenc tmux kill')) await waitFor('the session to end', () => !hasSession(box))
    }
  },
)
