import { once } from 'node:events'
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import type { Sighting } from '../../src/editor/detect.ts'
import { look, sightingJson } from '../../src/editor/sighting.ts'
import { closeWindow, focusWindow } from '../../src/editor/window-actions.ts'
import { windowSystemFor } from '../../src/editor/windows/window-system.ts'
import { findProgram } from '../../src/system/find-program.ts'
import { type Runner, systemRunner } from '../../src/system/runner.ts'
import { type Sandbox, sandbox } from '../helpers/cli.ts'
import { needPrograms } from '../helpers/needs.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'
import { type Display, startDisplay } from '../helpers/x11.ts'

const shortId = 'abcd1234'
const agentCommand = [process.execPath, '-e', 'setInterval(() => {}, 1e9)']
const stubbornCommand = [
  process.execPath,
  '-e',
  'process.on("SIGHUP", () => {}); console.log("ready"); setInterval(() => {}, 1e9)',
]

function tmux(box: Sandbox, ...args: string[]): string {
  const answer = systemRunner.capture('tmux', ['-u', '-f', '/dev/null', ...args], { env: box.env })
  if (answer.exitCode !== 0) throw new Error(`tmux ${args.join(' ')}: ${answer.stderr}`)
  return answer.stdout.trim()
}

/** An agent in a window of its own of a new session; the pid of the agent, which may not have its terminal yet. */
function startMission(
  box: Sandbox,
  { session = 'agenc', name = `${shortId} web`, command = agentCommand } = {},
): number {
  const pid = Number(tmux(box, 'new-session', '-dPF', '#{pane_pid}', '-s', session, '-n', name, ...command))
  endServerAfterTest(box, 'default')
  return pid
}

function endServerAfterTest(box: Sandbox, server: string): void {
  onTestFinished(() => void systemRunner.capture('tmux', ['-L', server, 'kill-server'], { env: box.env }))
}

function surroundings(env: NodeJS.ProcessEnv, exec: Runner = systemRunner) {
  const windows = windowSystemFor(process.platform, env, exec)
  return { platform: process.platform, env, exec, windows, tmuxSocket: null }
}

function see(env: NodeJS.ProcessEnv, pid: number, id = shortId): Sighting {
  return look(surroundings(env), [{ pids: [pid], shortId: id }])[0]!
}

function seeing(env: NodeJS.ProcessEnv, pid: number, presence: string): Promise<Sighting> {
  return waitFor(`presence ${presence}`, () => {
    const seen = see(env, pid)
    if (seen.presence !== presence) throw new Error(`it is ${JSON.stringify(sightingJson(seen))}`)
    return seen
  })
}

const attach = (server = 'default', session = 'agenc') => [
  'tmux',
  '-L',
  server,
  'attach',
  '-t',
  `=${session}`,
]

async function withX(
  context: TestContext,
  ...programs: string[]
): Promise<{ box: Sandbox; display: Display }> {
  needPrograms(context, 'Xvfb', 'openbox', 'xprop', 'wmctrl', 'xdotool', 'xterm', ...programs)
  const box = sandbox()
  return { box, display: await startDisplay(box) }
}

test('attached in an xterm, then detached, then gone', async context => {
  const { box, display } = await withX(context)
  const agent = startMission(box)
  await seeing(display.env, agent, 'detached')

  const xterm = display.start('xterm', ['-e', ...attach()])
  const { window, editorType } = await seeing(display.env, agent, 'windowed')
  expect(window?.pid).toBe(xterm.pid)
  expect(editorType).toBe('xterm')
  expect(sightingJson(see(display.env, agent)).window_id).toBe(
    display.run('xdotool', 'search', '--onlyvisible', '--class', 'xterm').trim(),
  )

  xterm.kill()
  const seen = await seeing(display.env, agent, 'detached')
  expect(sightingJson(seen)).toEqual({
    editor_open: false,
    window_id: null,
    editor_type: null,
    presence: 'detached',
  })

  process.kill(agent, 'SIGKILL')
  await seeing(display.env, agent, 'none')
})

test('an editor’s integrated terminal, without tmux', async context => {
  const { box, display } = await withX(context)
  const editor = join(box.root, 'zed-editor')
  copyFileSync(findProgram('xterm', process.env)!, editor)
  const child = display.start(editor, ['-e', 'sh', '-c', '"$@"; :', 'sh', ...agentCommand])
  const agent = await waitFor('the agent', () => {
    const [shell] = childrenOf(display, child.pid!)
    return shell && childrenOf(display, shell)[0]
  })
  const seen = await seeing(display.env, agent, 'windowed')
  expect(sightingJson(seen)).toMatchObject({ editor_open: true, editor_type: 'zed-editor' })
})

function childrenOf(display: Display, pid: number): number[] {
  return display.run('ps', '-o', 'pid=', '--ppid', String(pid)).split('\n').filter(Boolean).map(Number)
}

test('attached twice: the terminal that was used last', async context => {
  const { box, display } = await withX(context)
  const agent = startMission(box)
  const first = display.start('xterm', ['-e', ...attach()])
  const { window } = await seeing(display.env, agent, 'windowed')
  const second = display.start('xterm', ['-e', ...attach()])
  await waitFor('the second client', () => see(display.env, agent).window?.pid === second.pid)

  const desktop = surroundings(display.env)
  expect(focusWindow(desktop, window!)).toBe('asked')
  await waitFor(
    'the first window in front',
    () => display.run('xdotool', 'getactivewindow').trim() === window!.id,
  )
  await waitFor('the first client again', () => {
    display.run('xdotool', 'key', 'space')
    return see(display.env, agent).window?.pid === first.pid
  })
})

test.for(['another server', 'the same server'])(
  'nested tmux, the outer one on %s',
  async (where, context) => {
    const { box, display } = await withX(context)
    const outer = where === 'another server' ? 'outer' : 'default'
    const agent = startMission(box)
    const inner = ['env', '-u', 'TMUX', ...attach()]
    const shell = ['sh', '-c', '"$@"; :', 'sh', ...inner]
    tmux(box, '-L', outer, 'new-session', '-d', '-s', 'work', ...shell)
    endServerAfterTest(box, outer)
    await waitFor('the inner client', () => tmux(box, 'list-clients', '-t', '=agenc') !== '')
    expect(see(display.env, agent).presence).toBe('detached')

    const xterm = display.start('xterm', ['-e', ...attach(outer, 'work')])
    const { window } = await seeing(display.env, agent, 'windowed')
    expect(window?.pid).toBe(xterm.pid)
  },
)

test('gnome-terminal, one process with two windows: told apart by title', async context => {
  const { box, display } = await withX(context, 'gnome-terminal', 'dbus-daemon')
  const missions = ['aaaa1111', 'bbbb2222'].map(id => {
    const pid = startMission(box, { session: id, name: `${id} web` })
    tmux(box, 'set-option', '-t', `=${id}:`, 'set-titles', 'on')
    tmux(box, 'set-option', '-t', `=${id}:`, 'set-titles-string', '#W')
    return { id, pid }
  })
  const bus = await startBus(display)
  for (const { id } of missions) {
    display.start('gnome-terminal', ['--', ...attach('default', id)], bus)
    await waitFor(`the window of ${id}`, () => display.run('wmctrl', '-lp').includes(id))
  }
  const [first, second] = missions.map(({ id, pid }) => see(display.env, pid, id))
  expect(first).toMatchObject({ presence: 'windowed', editorType: 'gnome-terminal-server' })
  expect(first!.window!.pid).toBe(second!.window!.pid)
  expect(first!.window!.title).toContain('aaaa1111')
  expect(second!.window!.title).toContain('bbbb2222')
  onTestFinished(() => void process.kill(first!.window!.pid))

  for (const { id } of missions) {
    tmux(box, 'set-option', '-t', `=${id}:`, 'set-titles-string', 'same')
  }
  await waitFor('titles that tell nothing', () => !display.run('wmctrl', '-lp').includes('2222'))
  expect(sightingJson(see(display.env, missions[0]!.pid, 'aaaa1111'))).toEqual({
    editor_open: true,
    window_id: null,
    editor_type: 'gnome-terminal-server',
    presence: 'terminal',
  })
})

async function startBus(display: Display): Promise<NodeJS.ProcessEnv> {
  const address = `unix:path=${join(display.env.XDG_RUNTIME_DIR!, 'bus')}`
  display.start('dbus-daemon', ['--session', '--nofork', '--nosyslog', `--address=${address}`])
  const env = { DBUS_SESSION_BUS_ADDRESS: address, GSETTINGS_BACKEND: 'memory', NO_AT_BRIDGE: '1' }
  await waitFor(
    'the bus',
    () =>
      systemRunner.capture(
        'dbus-send',
        ['--session', '--dest=org.freedesktop.DBus', '--print-reply', '/', 'org.freedesktop.DBus.ListNames'],
        {
          env: { ...display.env, ...env },
        },
      ).exitCode === 0,
  )
  return env
}

test('kitty, one process with two windows: told apart by WINDOWID', async context => {
  const { box, display } = await withX(context, 'kitty')
  const missions = ['one', 'two'].map(session => ({ session, pid: startMission(box, { session }) }))
  const options = ['--single-instance', '--config', 'NONE', '--override', 'linux_display_server=x11']
  const attached = (session: string) => () => tmux(box, 'list-clients', '-t', `=${session}`) !== ''
  for (const { session } of missions) {
    display.start('kitty', [...options, ...attach('default', session)])
    await waitFor(`the client of ${session}`, attached(session))
  }
  const [first, second] = await Promise.all(missions.map(({ pid }) => seeing(display.env, pid, 'windowed')))
  expect(first).toMatchObject({ presence: 'windowed', editorType: 'kitty' })
  expect(first!.window!.pid).toBe(second!.window!.pid)
  expect(first!.window!.id).not.toBe(second!.window!.id)
})

test('closed politely; an id that is used again is left alone', async context => {
  const { box, display } = await withX(context)
  const agent = startMission(box)
  const xterm = display.start('xterm', ['-e', ...attach()])
  const ended = once(xterm, 'exit')
  const { window } = await seeing(display.env, agent, 'windowed')
  const desktop = surroundings(display.env)
  expect(closeWindow(desktop, window!)).toBe('asked')
  await ended
  expect(see(display.env, agent).presence).toBe('detached')
  expect(closeWindow(desktop, window!)).toBe('gone')

  await waitFor('the id to be used again', () => openedAs(display, window!.id))
  expect([focusWindow(desktop, window!), closeWindow(desktop, window!)]).toEqual(['gone', 'gone'])
  expect(desktop.windows.list()).toMatchObject([{ id: window!.id }])
})

/** Which id a new window gets depends on who else is connected at that moment: another try may be needed. */
async function openedAs(display: Display, id: string): Promise<boolean> {
  const { windows } = surroundings(display.env)
  const xterm = display.start('xterm', ['-e', 'sleep', '600'])
  const ended = once(xterm, 'exit')
  const opened = await waitFor('the window', () => windows.list()?.find(({ pid }) => pid === xterm.pid))
  if (opened.id === id) return true
  xterm.kill()
  await ended
  return false
}

test.for([
  ['wmctrl', 'windowed'],
  ['xprop', 'windowed'],
  ['xdotool', 'windowed'],
  ['none of them', 'terminal'],
] as const)('helper programs installed: %s', async ([helper, presence], context) => {
  const { box, display } = await withX(context)
  const agent = startMission(box)
  const xterm = display.start('xterm', ['-e', ...attach()])
  const { window } = await seeing(display.env, agent, 'windowed')
  expect(window?.pid).toBe(xterm.pid)

  const bin = join(box.root, 'bin')
  mkdirSync(bin)
  for (const program of ['tmux', helper]) {
    const found = findProgram(program, process.env)
    if (found) symlinkSync(found, join(bin, program))
  }
  const seen = see({ ...display.env, PATH: bin }, agent)
  expect(seen.presence).toBe(presence)
  expect(seen.window?.id).toBe(presence === 'windowed' ? window?.id : undefined)
})

test('no window manager: the window is unknown, the presence right', async context => {
  needPrograms(context, 'Xvfb', 'xterm', 'xprop', 'wmctrl', 'xdotool')
  const box = sandbox()
  const display = await startDisplay(box, { windowManager: false })
  const agent = startMission(box)
  display.start('xterm', ['-e', ...attach()])
  const seen = await seeing(display.env, agent, 'terminal')
  expect(sightingJson(seen)).toEqual({
    editor_open: false,
    window_id: null,
    editor_type: null,
    presence: 'terminal',
  })
  expect(surroundings(display.env).windows.problem()).toMatch(/window manager/)
})

test('no display: attached is a terminal, nobody attached is detached', async () => {
  const box = sandbox()
  const { DISPLAY, WAYLAND_DISPLAY, ...env } = box.env
  const agent = startMission(box)
  await seeing(env, agent, 'detached')
  openTerminal('tmux', attach().slice(1), { env })
  await seeing(env, agent, 'terminal')
})

test.each(['sshd', 'mosh-server'])('attached from %s: remote', async login => {
  const box = sandbox()
  const agent = startMission(box)
  const program = join(box.root, login)
  copyFileSync('/bin/sh', program)
  openTerminal(program, ['-c', '"$@"; :', 'sh', ...attach()], { env: box.env })
  await seeing(box.env, agent, 'remote')
})

test('a process that outlives its window is an orphan, and is left alone', async () => {
  const box = sandbox()
  const agent = startMission(box, { command: stubbornCommand })
  onTestFinished(() => void process.kill(agent, 'SIGKILL'))
  tmux(box, 'new-window', '-d', '-t', '=agenc:', ...agentCommand)
  await waitFor('the agent', () => tmux(box, 'capture-pane', '-p', '-t', '=agenc:^').includes('ready'))
  tmux(box, 'kill-window', '-t', '=agenc:^')
  await seeing(box.env, agent, 'orphan')
})

test('fifty missions ask no more than one', async context => {
  const { box, display } = await withX(context)
  const agent = startMission(box)
  display.start('xterm', ['-e', ...attach()])
  await seeing(display.env, agent, 'windowed')
  const callsFor = (count: number) => {
    const calls: string[] = []
    const capture: Runner['capture'] = (file, args, options) => {
      calls.push(`${file} ${args[0]}`)
      return systemRunner.capture(file, args, options)
    }
    const agents = Array.from({ length: count }, () => ({ pids: [agent], shortId }))
    const seen = look(surroundings(display.env, { ...systemRunner, capture }), agents)
    expect(seen.every(({ presence }) => presence === 'windowed')).toBe(true)
    return calls
  }
  expect(callsFor(1)).toEqual(['tmux -u', 'wmctrl -lp'])
  expect(callsFor(50)).toEqual(callsFor(1))
})
