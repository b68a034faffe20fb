import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findProgram } from '../../src/system/find-program.ts'
import { type Ran, type Sandbox, sandbox } from '../helpers/cli.ts'
import {
  newMission,
  runningMission,
  storeMissions,
  useIdleClaude,
  writeProgram,
} from '../helpers/missions.ts'
import { needPrograms } from '../helpers/needs.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'
import { startDisplay } from '../helpers/x11.ts'

interface Desk extends Sandbox {
  /** Installs a program that logs its arguments, then runs `then`. */
  editor(name: string, then?: string): void
  /** The editor's arguments, once it runs. */
  told(name: string): Promise<string[]>
  with(args: string[], env?: NodeJS.ProcessEnv): Ran
}

/** A sandbox without a display, and without programs but tmux and those that the test installs. */
function desk(): Desk {
  const box = sandbox()
  const bin = join(box.root, 'bin')
  mkdirSync(bin)
  symlinkSync(findProgram('tmux', process.env)!, join(bin, 'tmux'))
  const log = (name: string) => join(box.root, `${name}.log`)
  const { DISPLAY, WAYLAND_DISPLAY, ...env } = box.env
  return {
    ...box,
    env,
    editor: (name, then = '') => {
      const note = `printf '%s\\0' "$@" >'${log(name)}.new'; /bin/mv '${log(name)}.new' '${log(name)}'`
      writeProgram(join(bin, name), `${note}\n${then}`)
    },
    told: name =>
      waitFor(
        `${name} to be opened`,
        () => existsSync(log(name)) && argumentsIn(readFileSync(log(name), 'utf8')),
      ),
    with: (args, more = {}) =>
      box.agenc(args, { env: { DISPLAY: '', WAYLAND_DISPLAY: '', PATH: bin, ...more } }),
  }
}

function argumentsIn(text: string): string[] {
  return text.split('\0').slice(0, -1)
}

async function oneMission(box: Sandbox): Promise<{ id: string; dir: string }> {
  const [id] = await storeMissions(box, [{ name: 'web' }])
  return { id: id!, dir: join(box.agencHome, 'missions', id!, 'agent') }
}

test('open starts the configured editor at the mission’s directory, and says how to continue there', async () => {
  const box = desk()
  const { id, dir } = await oneMission(box)
  box.editor('zed')
  box.editor('kitty')
  box.with(['config', 'set', 'editor.name', 'kitty'])
  const opened = box.with(['mission', 'open', id], { DISPLAY: ':77' })
  expect(opened).toMatchObject({ exitCode: 0, stdout: '' })
  expect(opened.stderr.split('\n')).toEqual([
    `Opened kitty at ${dir}`,
    `Start Claude there with: agenc mission resume ${id.slice(0, 8)}`,
    '',
  ])
  expect(await box.told('kitty')).toEqual(['--directory', dir])
  expect(existsSync(join(box.root, 'zed.log'))).toBe(false)
})

test('open warns if the editor is not installed, and starts the next one', async () => {
  const box = desk()
  const { id, dir } = await oneMission(box)
  box.editor('alacritty')
  box.with(['config', 'set', 'editor.name', 'windsurf'])
  const opened = box.with(['mission', 'open', id, '--json'])
  expect(opened.stderr).toContain('windsurf is not installed; opening alacritty instead')
  expect(opened.stderr).toContain('no display')
  expect(JSON.parse(opened.stdout)).toEqual({
    id,
    dir,
    editor: 'alacritty',
    next: `agenc mission resume ${id.slice(0, 8)}`,
  })
  expect(await box.told('alacritty')).toEqual(['--working-directory', dir])
})

test('open without any editor is an error that names the setting', async () => {
  const box = desk()
  const { id } = await oneMission(box)
  const opened = box.with(['mission', 'open', id])
  expect(opened).toMatchObject({ exitCode: 1, stdout: '' })
  expect(opened.stderr).toMatch(/No editor found.*\n.*agenc config set editor.command/)
})

test('open runs editor.command, in a home with a hostile name, and the editor keeps running', async () => {
  const box = desk()
  const home = join(box.root, `it's "a" $(touch pwned) {dir} äöü`)
  const [id] = await storeMissions({ ...box, agencHome: home }, [{}])
  const env = { AGENC_DIRPATH: home }
  box.editor('mine', `echo $$ >'${box.root}/pid'; exec /bin/sleep 600`)
  box.with(['config', 'set', 'editor.command', '["mine", "--at={dir}", "-x"]'], env)
  const opened = box.with(['mission', 'open', id!, '--json'], env)
  expect(JSON.parse(opened.stdout)).toMatchObject({ editor: 'mine' })
  const dir = join(home, 'missions', id!, 'agent')
  expect(await box.told('mine')).toEqual([`--at=${dir}`, '-x'])
  const pid = await waitFor('its pid', () => Number(readFileSync(join(box.root, 'pid'), 'utf8')))
  onTestFinished(() => void process.kill(pid))
  process.kill(pid, 0)
})

test('focus opens the editor if no window shows the mission', async () => {
  const box = desk()
  const { id, dir } = await oneMission(box)
  box.editor('code')
  const focused = box.with(['mission', 'focus', id, '--json'])
  expect(JSON.parse(focused.stdout)).toEqual({ id, tmux_window: null, window_id: null, opened: 'vscode' })
  expect(await box.told('code')).toEqual([dir])
})

test('close-editor does nothing and says nothing if no window shows the mission', async () => {
  const box = desk()
  const { id } = await oneMission(box)
  expect(box.with(['mission', 'close-editor', id])).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  expect(JSON.parse(box.with(['mission', 'close-editor', id, '--json']).stdout)).toEqual({
    id,
    window_id: null,
  })
})

test('close-editor says why the windows cannot be listed, and exits with 0', async context => {
  const box = desk()
  useIdleClaude(box)
  openTerminal(process.execPath, newMission, { env: box.env, cwd: box.root })
  const { id } = await runningMission(box)
  const { missions } = JSON.parse(box.with(['status', '--json']).stdout)
  if (missions[0].presence === 'remote')
    context.skip('over ssh it is certain that no window shows the mission')
  const closed = box.with(['mission', 'close-editor', id, '--json'])
  expect(closed).toMatchObject({ exitCode: 0, stdout: `${JSON.stringify({ id, window_id: null })}\n` })
  expect(closed.stderr).toMatch(/^agenc: .*no display: .*\n$/)

  writeProgram(join(box.root, 'bin', 'wmctrl'), '')
  const seen = box.with(['mission', 'close-editor', id], { DISPLAY: ':0' })
  expect(seen).toEqual({ exitCode: 0, stdout: '', stderr: '' })
})

test('focus raises the window of a mission, and close-editor closes it', async context => {
  needPrograms(context, 'Xvfb', 'openbox', 'xprop', 'wmctrl', 'xdotool', 'xterm')
  const box = sandbox()
  useIdleClaude(box)
  const display = await startDisplay(box)
  const agenc = (...args: string[]) => JSON.parse(box.agenc([...args, '--json'], { env: display.env }).stdout)
  const xterm = display.start('xterm', ['-e', process.execPath, ...newMission])
  const { id } = await runningMission(box)
  const other = display.start('xterm', ['-e', 'sleep', '600'])
  const inFront = () => Number(display.run('xdotool', 'getactivewindow', 'getwindowpid').split('\n')[0])
  await waitFor('the other window in front', () => inFront() === other.pid)

  const focused = agenc('mission', 'focus', id)
  expect(focused).toMatchObject({ id, tmux_window: null, opened: null })
  await waitFor('the mission in front', () => inFront() === xterm.pid)

  expect(agenc('mission', 'close-editor', id)).toEqual({ id, window_id: focused.window_id })
  await waitFor('the end of the terminal', () => xterm.exitCode !== null || xterm.signalCode !== null)
  expect(other.exitCode).toBeNull()
  await waitFor('the mission to end with it', () => agenc('mission', 'show', id).status !== 'running')
  expect(agenc('mission', 'close-editor', id)).toEqual({ id, window_id: null })
})

test('open says how to go to a mission that runs', async () => {
  const box = desk()
  useIdleClaude(box)
  box.editor('zed')
  openTerminal(process.execPath, newMission, { env: box.env, cwd: box.root })
  const { id } = await runningMission(box)
  const opened = box.with(['mission', 'open', id])
  expect(opened.stderr).toContain(`It is running; go to it with: agenc mission focus ${id.slice(0, 8)}`)
  await box.told('zed')
})

test('ls lists the known editors, which are installed and which is chosen', () => {
  const box = desk()
  box.editor('konsole')
  box.editor('code')
  const rows = JSON.parse(box.with(['editor', 'ls', '--json']).stdout)
  expect(rows).toHaveLength(11)
  expect(rows).toContainEqual({ name: 'vscode', kind: 'ide', installed: true, chosen: true })
  expect(rows).toContainEqual({ name: 'konsole', kind: 'terminal', installed: true, chosen: false })
  expect(rows).toContainEqual({ name: 'zed', kind: 'ide', installed: false, chosen: false })
  expect(box.with(['editor', 'ls']).stdout).toMatch(
    /^NAME +KIND +INSTALLED +CHOSEN\n(?:.*\n)*vscode +ide +yes +yes\n/,
  )

  box.with(['config', 'set', 'editor.command', '["konsole", "{dir}"]'])
  const [own] = JSON.parse(box.with(['editor', 'ls', '--json']).stdout)
  expect(own).toEqual({ name: 'konsole', kind: 'own', installed: true, chosen: true })
})
