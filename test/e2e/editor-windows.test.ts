import { once } from 'node:events'
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import { desktopOf, locateMissions } from '../../src/editor/desktop.ts'
import { type MissionPresence, presenceJson } from '../../src/editor/mission-presence.ts'
import { actOnWindow } from '../../src/editor/window-actions.ts'
import { findProgram } from '../../src/system/find-program.ts'
import { type Runner, systemRunner } from '../../src/system/runner.ts'
import { clientsFrom } from '../../src/tmux/clients.ts'
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

/** Starts an agent in a new session. Returns the agent's pid, which may not have its terminal yet. */
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

function desktop(env: NodeJS.ProcessEnv, exec: Runner = systemRunner) {
  return desktopOf({ env, exec }, clientsFrom({ env, exec }, null))
}

function see(env: NodeJS.ProcessEnv, wrapper_pid: number, short_id = shortId): MissionPresence {
  return locateMissions(desktop(env), [{ wrapper_pid, short_id }])[0]!
}

function seeing(env: NodeJS.ProcessEnv, pid: number, presence: string): Promise<MissionPresence> {
  return waitFor(`presence ${presence}`, () => {
    const seen = see(env, pid)
    if (seen.presence !== presence) throw new Error(`it is ${JSON.stringify(presenceJson(seen))}`)
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

test('attached in an xterm, then detached, then ended', async context => {
  const { box, display } = await withX(context)
  const agent = startMission(box)
  await seeing(display.env, agent, 'detached')

  const xterm = display.start('xterm', ['-e', ...attach()])
  const { window, editorType } = await seeing(display.env, agent, 'windowed')
  expect(window?.pid).toBe(xterm.pid)
  expect(editorType).toBe('xterm')
  expect(presenceJson(see(display.env, agent)).window_id).toBe(
    display.run('xdotool', 'search', '--onlyvisible', '--class', 'xterm').trim(),
  )

  xterm.kill()
  const seen = await seeing(display.env, agent, 'detached')
  expect(presenceJson(seen)).toEqual({
    editor_open: false,
    window_id: null,
    editor_type: null,
    presence: 'detached',
  })

  process.kill(agent, 'SIGKILL')
  await seeing(display.env, agent, 'none')
})

test('the integrated terminal of an editor, without tmux', async context => {
  const { box, display } = await withX(context)
  const editor = join(box.root, 'zed-editor')
  copyFileSync(findProgram('xterm', process.env)!, editor)
  const child = display.start(editor, ['-e', 'sh', '-c', '"$@"; :', 'sh', ...agentCommand])
  const agent = await waitFor('the agent', () => {
    const [shell] = childrenOf(display, child.pid!)
    return shell && childrenOf(display, shell)[0]
  })
  const seen = await seeing(display.env, agent, 'windowed')
  expect(presenceJson(seen)).toMatchObject({ editor_open: true, editor_type: 'zed-editor' })
})

function childrenOf(display: Display, pid: number): number[] {
  return display.run('ps', '-o', 'pid=', '--ppid', String(pid)).split('\n').filter(Boolean).map(Number)
}

test('attached twice: the terminal that was used last counts', async context => {
  const { box, display } = await withX(context)
  const agent = startMission(box)
  const first = display.start('xterm', ['-e', ...attach()])
  const { window } = await seeing(display.env, agent, 'windowed')
  const second = display.start('xterm', ['-e', ...attach()])
  await waitFor('the second client', () => see(display.env, agent).window?.pid === second.pid)

  const here = desktop(display.env)
  expect(actOnWindow(here, window!, 'focus')).toBe('asked')
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
    await seeing(display.env, agent, 'detached')

    const xterm = display.start('xterm', ['-e', ...attach(outer, 'work')])
    const { window } = await seeing(display.env, agent, 'windowed')
    expect(window?.pid).toBe(xterm.pid)
  },
)

test('gnome-terminal has two windows in one process: the title decides', async context => {
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
  await waitFor('titles that look alike', () => !/1111|2222/.test(display.run('wmctrl', '-lp')))
  expect(presenceJson(see(display.env, missions[0]!.pid, 'aaaa1111'))).toEqual({
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

test('kitty has two windows in one process: WINDOWID decides', async context => {
  const { box, display } = await withX(context, 'kitty')
  const missions = ['one', 'two'].map(session => ({ session, pid: startMission(box, { session }) }))
  const options = ['--single-instance', '--config', 'NONE', '--override', 'linux_display_server=x11']
  const attached = (session: string) => () => tmux(box, 'list-clients', '-t', `=${session}`) !== ''
  for (const { session } of missions) {
    display.start('kitty', [...options, ...attach('default', session)])
    await waitFor(`the client of ${session}`, attached(session))
  }
  await waitFor('both windows', () => display.run('wmctrl', '-lp').trim().split('\n').length === 2)
  const [first, second] = await Promise.all(missions.map(({ pid }) => seeing(display.env, pid, 'windowed')))
  expect(first).toMatchObject({ presence: 'windowed', editorType: 'kitty' })
  expect(first!.window!.pid).toBe(second!.window!.pid)
  expect(first!.window!.id).not.toBe(second!.window!.id)
})

test('a window is asked to close, and a later window with the same id is left alone', async context => {
  const { box, display } = await withX(context)
  const agent = startMission(box)
  const xterm = display.start('xterm', ['-e', ...attach()])
  const ended = once(xterm, 'exit')
  const { window } = await seeing(display.env, agent, 'windowed')
  const here = desktop(display.env)
  expect(actOnWindow(here, window!, 'close')).toBe('asked')
  await ended
  await seeing(display.env, agent, 'detached')
  expect(actOnWindow(here, window!, 'close')).toBe('gone')

  await waitFor('the id to be used again', () => openedAs(display, window!.id))
  expect([actOnWindow(here, window!, 'focus'), actOnWindow(here, window!, 'close')]).toEqual(['gone', 'gone'])
  expect(here.windows.list()).toMatchObject([{ id: window!.id }])
})

/** The id of a new window depends on the other programs connected at that moment, so it may take several tries. */
async function openedAs(display: Display, id: string): Promise<boolean> {
  const { windows } = desktop(display.env)
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

test('no window manager: the window is unknown, the presence is right', async context => {
  needPrograms(context, 'Xvfb', 'xterm', 'xprop', 'wmctrl', 'xdotool')
  const box = sandbox()
  const display = await startDisplay(box, { windowManager: false })
  const agent = startMission(box)
  display.start('xterm', ['-e', ...attach()])
  const seen = await seeing(display.env, agent, 'terminal')
  expect(presenceJson(seen)).toEqual({
    editor_open: false,
    window_id: null,
    editor_type: null,
    presence: 'terminal',
  })
  expect(desktop(display.env).windows.problem()).toMatch(/window manager/)
})

test('no display: the presence is terminal with a client, detached without', async () => {
  const box = sandbox()
  const { DISPLAY, WAYLAND_DISPLAY, ...env } = box.env
  const agent = startMission(box)
  await seeing(env, agent, 'detached')
  openTerminal('tmux', attach().slice(1), { env })
  await seeing(env, agent, 'terminal')
})

test.each(['sshd', 'mosh-server'])('attached under %s: remote', async login => {
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

test('fifty missions need no more queries than one', async context => {
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
    const missions = Array.from({ length: count }, () => ({ wrapper_pid: agent, short_id: shortId }))
    const seen = locateMissions(desktop(display.env, { ...systemRunner, capture }), missions)
    expect(seen.every(({ presence }) => presence === 'windowed')).toBe(true)
    return calls
  }
  expect(callsFor(1)).toEqual(['tmux -u', 'wmctrl -lp'])
  expect(callsFor(50)).toEqual(callsFor(1))
})
