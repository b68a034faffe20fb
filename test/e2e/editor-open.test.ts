import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { chooseEditor } from '../../src/editor/choose-editor.ts'
import { editors } from '../../src/editor/known-editors.ts'
import { openEditor } from '../../src/editor/open-editor.ts'
import { scanProcesses } from '../../src/system/process-table.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { agencScript, sandbox, temporaryDirectory } from '../helpers/cli.ts'
import { storeMissions } from '../helpers/missions.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

const hostileName = `it's "a" $(touch pwned) \`touch pwned\` äöü {dir} $& ;`

/** A program that logs its arguments, then runs `then`. */
function standIn(bin: string, name: string, log: string, then = ''): void {
  writeFileSync(
    join(bin, name),
    `#!/bin/sh\nprintf '%s\\0' "$@" >'${log}.new' && mv '${log}.new' '${log}'\n${then}\n`,
  )
  chmodSync(join(bin, name), 0o755)
}

function argumentsIn(log: string): string[] {
  return readFileSync(log, 'utf8').split('\0').slice(0, -1)
}

const expected: Record<string, [program: string, ...args: string[]]> = {
  zed: ['zed', '<dir>'],
  vscode: ['code', '<dir>'],
  cursor: ['cursor', '<dir>'],
  windsurf: ['windsurf', '<dir>'],
  kitty: ['kitty', '--directory', '<dir>'],
  alacritty: ['alacritty', '--working-directory', '<dir>'],
  wezterm: ['wezterm', 'start', '--cwd', '<dir>'],
  'gnome-terminal': ['gnome-terminal', '--working-directory=<dir>'],
  konsole: ['konsole', '--workdir', '<dir>'],
  iterm2: ['open', '-a', 'iTerm', '<dir>'],
  'terminal-app': ['open', '-a', 'Terminal', '<dir>'],
}

test.each(editors)('$name opens a directory with a hostile name', async ({ name, macApp }) => {
  const root = temporaryDirectory()
  const dir = join(root, hostileName)
  const log = join(root, 'log')
  const [program, ...args] = expected[name]!
  mkdirSync(dir)
  standIn(root, program, log)
  if (macApp) mkdirSync(join(root, `${macApp}.app`))
  const platform = program === 'open' ? 'darwin' : 'linux'
  const env = { PATH: `${root}:/usr/bin:/bin` }
  const choice = chooseEditor({ name }, { platform, env: { PATH: root }, appDirs: [root] })
  expect(choice).toMatchObject({ name, warnings: [] })
  await openEditor(systemRunner, choice, dir, env)
  await waitFor('the stand-in', () => existsSync(log))
  expect(argumentsIn(log)).toEqual(args.map(word => word.split('<dir>').join(dir)))
  expect([existsSync(join(root, 'pwned')), existsSync(join(dir, 'pwned'))]).toEqual([false, false])
})

test('a program of the same name in the repo is not run, even if PATH leads there', async () => {
  const root = temporaryDirectory()
  const dir = join(root, 'repo')
  mkdirSync(join(dir, 'bin'), { recursive: true })
  standIn(root, 'zed', join(root, 'log'))
  for (const bin of [dir, join(dir, 'bin')]) standIn(bin, 'zed', join(root, 'log-of-repo'))
  const env = { PATH: `.:bin:${root}:/usr/bin:/bin` }
  await openEditor(systemRunner, chooseEditor({ name: 'zed' }, { platform: 'linux', env }), dir, env)
  await waitFor('a stand-in', () => existsSync(join(root, 'log')) || existsSync(join(root, 'log-of-repo')))
  expect(existsSync(join(root, 'log-of-repo'))).toBe(false)
})

test('mission open returns at once, and the editor outlives the command and its terminal', async () => {
  const box = sandbox()
  const [id] = await storeMissions(box, [{}])
  const log = join(box.root, 'log')
  standIn(box.root, 'zeditor', log, `echo $$ >'${log}.pid'; exec sleep 600`)
  const env = { ...box.env, PATH: `${box.root}:${box.env.PATH}` }
  const terminal = openTerminal(process.execPath, [agencScript, 'mission', 'open', id!], {
    env,
    cwd: box.root,
  })
  expect(await terminal.exited).toBe(0)
  expect(terminal.raw()).toContain('Opened zed')

  const pid = Number(
    await waitFor('the editor', () => existsSync(`${log}.pid`) && readFileSync(`${log}.pid`, 'utf8')),
  )
  onTestFinished(() => void process.kill(pid))
  const editor = await waitFor('the editor', () => {
    const found = scanProcesses(process.platform, systemRunner).get(pid)
    return found?.name === 'sleep' && found
  })
  expect(editor.tty).toBeNull()
})
