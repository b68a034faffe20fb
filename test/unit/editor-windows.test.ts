import { expect, test } from 'vitest'
import type { Desktop } from '../../src/editor/desktop.ts'
import { macosWindows } from '../../src/editor/macos-windows.ts'
import { actOnWindow } from '../../src/editor/window-actions.ts'
import { type WindowSystem, windowSystemFor } from '../../src/editor/window-system.ts'
import { parseProperties, parseWmctrl, x11Windows } from '../../src/editor/x11-windows.ts'
import { scanProcesses } from '../../src/system/process-table.ts'
import { type Result, type Runner, systemRunner } from '../../src/system/runner.ts'

const answered: Result = { exitCode: 0, signal: null, stdout: '', stderr: '', missing: false }
const missing: Result = { ...answered, exitCode: null, missing: true }

/** A runner with recorded answers. A program that has none counts as not installed. */
function recorded(answers: Record<string, Partial<Result>>): { exec: Runner; calls: string[] } {
  const calls: string[] = []
  const capture = (file: string, args: readonly string[]): Result => {
    calls.push([file, ...args].join(' '))
    const key = Object.keys(answers).find(key => calls.at(-1)!.startsWith(key))
    return key === undefined ? missing : { ...answered, ...answers[key] }
  }
  return { calls, exec: { ...systemRunner, capture } }
}

const wmctrlList = `0x0040000c  0 8280   vm N/A
0x00600007  0 8287   vm edx : bash — Konsole
0x00a00001 -1 4242   far.example.org editor on another machine
0x00b00001  0 0      vm no pid
0x00c00006  0 10702  vm.local   two  spaces
`

test('wmctrl: ids are decimal as in WINDOWID, and windows of other machines or without a pid are left out', () => {
  expect(parseWmctrl(wmctrlList, 'vm')).toEqual([
    { id: '4194316', pid: 8280, title: '' },
    { id: '6291463', pid: 8287, title: 'edx : bash — Konsole' },
    { id: '12582918', pid: 10702, title: '  two  spaces' },
  ])
})

test('wmctrl lists all windows in one call', () => {
  const { exec, calls } = recorded({ 'wmctrl -lp': { stdout: wmctrlList } })
  expect(x11Windows(exec, {}, 'vm').list()).toHaveLength(3)
  expect(calls).toEqual(['wmctrl -lp'])
})

test('xprop lists the windows if wmctrl is not installed', () => {
  const { exec } = recorded({
    'xprop -root': { stdout: '_NET_CLIENT_LIST(WINDOW): window id # 0x40000c, 0x600007\n' },
    'xprop -id 0x40000c': {
      stdout:
        '_NET_WM_PID(CARDINAL) = 12\nWM_CLIENT_MACHINE(STRING) = "vm"\n_NET_WM_NAME:  not found.\nWM_NAME(STRING) = "a "b" c"\n',
    },
    'xprop -id 0x600007': { stdout: '_NET_WM_PID:  not found.\n' },
  })
  expect(x11Windows(exec, {}, 'vm').list()).toEqual([{ id: '4194316', pid: 12, title: 'a "b" c' }])
})

test('xprop: a window of another machine is left out', () => {
  const text = '_NET_WM_PID(CARDINAL) = 12\nWM_CLIENT_MACHINE(STRING) = "far"\n'
  expect(parseProperties('0x1', text, 'vm')).toBeNull()
})

const xdotoolAnswers = {
  'xdotool get_num_desktops': { stdout: '4\n' },
  'xdotool search': { stdout: '4194316\n4194331\n' },
  'xdotool getwindowpid 4194316': { stdout: '12\nabcd1234 web\n' },
  'xdotool getwindowpid 4194331': { exitCode: 1 },
}

test.each([':0', 'unix:0.0'])('xdotool alone, on %s: lists windows that have a class', DISPLAY => {
  const { exec } = recorded(xdotoolAnswers)
  expect(x11Windows(exec, { DISPLAY }, 'vm').list()).toEqual([
    { id: '4194316', pid: 12, title: 'abcd1234 web' },
  ])
})

test('xdotool alone, on a forwarded display: the windows are unknown, and problem() says why', () => {
  const { exec } = recorded(xdotoolAnswers)
  const windows = x11Windows(exec, { DISPLAY: 'localhost:10.0' }, 'vm')
  expect(windows.list()).toBeNull()
  expect(windows.problem()).toMatch(/install wmctrl/)
})

test.each([
  ['no window manager, wmctrl', { wmctrl: { exitCode: 1 } }, /window manager/],
  [
    'no window manager, xprop',
    { xprop: { stdout: '_NET_CLIENT_LIST:  no such atom on any window.\n' } },
    /window manager/,
  ],
  ['no window manager, xdotool', { xdotool: { exitCode: 1 } }, /window manager/],
  ['no helper program', {}, /install wmctrl/],
])('%s: the windows are unknown, and problem() says why', (_what, answers, reason) => {
  const windows = x11Windows(recorded(answers).exec, { DISPLAY: ':0' }, 'vm')
  expect(windows.list()).toBeNull()
  expect(windows.problem()).toMatch(reason)
})

test('a desktop without windows has an empty list, not an unknown one', () => {
  const windows = x11Windows(recorded({ wmctrl: {} }).exec, {}, 'vm')
  expect(windows.list()).toEqual([])
  expect(windows.problem()).toBeNull()
})

test('under Wayland problem() says that only X programs are found', () => {
  const windows = x11Windows(recorded({ wmctrl: {} }).exec, { WAYLAND_DISPLAY: 'wayland-0' }, 'vm')
  expect(windows.problem()).toMatch(/XWayland/)
})

const someWindow = { id: '7', pid: 1, title: '' }

test('focus and close use wmctrl, else xdotool, and never xdotool windowclose', () => {
  const first = recorded({ wmctrl: {} })
  const windows = x11Windows(first.exec, {}, 'vm')
  expect([windows.focus(someWindow), windows.close(someWindow)]).toEqual([true, true])
  expect(first.calls).toEqual(['wmctrl -ia 7', 'wmctrl -ic 7'])

  const second = recorded({ 'xdotool windowactivate': {}, 'xdotool windowquit': { exitCode: 1 } })
  const poorer = x11Windows(second.exec, {}, 'vm')
  expect([poorer.focus(someWindow), poorer.close(someWindow)]).toEqual([true, false])
})

test.each([
  [{}, /no display/],
  [{ WAYLAND_DISPLAY: 'wayland-0' }, /Wayland/],
])('no X display %j: no program is run', (env, reason) => {
  const { exec, calls } = recorded({})
  const windows = windowSystemFor('linux', env, exec)
  expect([windows.list(), windows.focus(someWindow), windows.close(someWindow)]).toEqual([null, false, false])
  expect(windows.problem()).toMatch(reason)
  expect(calls).toEqual([])
})

test('macOS: one osascript lists all windows', () => {
  const stdout =
    '[{"id":81,"pid":410,"title":"abcd1234 web"},{"id":90,"pid":512,"title":""},{"odd":1},null]\n'
  const { exec, calls } = recorded({ osascript: { stdout } })
  expect(windowSystemFor('darwin', {}, exec).list()).toEqual([
    { id: '81', pid: 410, title: 'abcd1234 web' },
    { id: '90', pid: 512, title: '' },
  ])
  expect(calls).toHaveLength(1)
})

test('macOS: without the permission the windows are unknown, and problem() says why', () => {
  const windows = macosWindows(recorded({ osascript: { exitCode: 1, stderr: 'not allowed (-1743)' } }).exec)
  expect(windows.list()).toBeNull()
  expect(windows.problem()).toMatch(/Accessibility/)
})

test('macOS: a title is an argument, never part of the script', () => {
  const argv: (readonly string[])[] = []
  const capture = (_file: string, args: readonly string[]) => {
    argv.push(args)
    return answered
  }
  const exec = { capture } as unknown as Runner
  const title = '"); Application("Finder").quit(); ("'
  macosWindows(exec).close({ id: '81', pid: 410, title })
  expect(argv[0]!.slice(-2)).toEqual(['410', title])
  expect(argv[0]![3]).not.toContain('Finder')
})

/** A desktop on which this process owns window 7. */
function desktopWith(windows: Partial<WindowSystem>): { desktop: Desktop; asked: string[] } {
  const asked: string[] = []
  const system: WindowSystem = {
    list: () => [{ id: '7', pid: process.pid, title: '' }],
    focus: ({ id }) => asked.push(`focus ${id}`) > 0,
    close: ({ id }) => asked.push(`close ${id}`) > 0,
    idVariable: null,
    problem: () => null,
    ...windows,
  }
  const tmux = { agencSocket: null, readServer: () => null, socketIn: () => null }
  return { desktop: { platform: process.platform, exec: systemRunner, windows: system, tmux }, asked }
}

const startTime = scanProcesses(process.platform, systemRunner).get(process.pid)!.startTime
const found = { id: '7', pid: process.pid, title: '', startTime }

test('a window of the same process is asked', () => {
  const { desktop, asked } = desktopWith({})
  expect(actOnWindow(desktop, found, 'focus')).toBe('asked')
  expect(actOnWindow(desktop, found, 'close')).toBe('asked')
  expect(asked).toEqual(['focus 7', 'close 7'])
})

test.each([
  ['another process has the window id now', { ...found, pid: 1 }],
  ['another process has the pid now', { ...found, startTime: '1' }],
  ['the window is closed', { ...found, id: '8' }],
])('%s: no window is asked', (_what, before) => {
  const { desktop, asked } = desktopWith({})
  expect(actOnWindow(desktop, before, 'focus')).toBe('gone')
  expect(actOnWindow(desktop, before, 'close')).toBe('gone')
  expect(asked).toEqual([])
})

test('unable: the windows cannot be listed any more, or the request fails', () => {
  expect(actOnWindow(desktopWith({ list: () => null }).desktop, found, 'close')).toBe('unable')
  expect(actOnWindow(desktopWith({ close: () => false }).desktop, found, 'close')).toBe('unable')
})
