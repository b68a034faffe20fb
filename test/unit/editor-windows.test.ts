import { expect, test } from 'vitest'
import { closeWindow, focusWindow } from '../../src/editor/window-actions.ts'
import { macosWindows } from '../../src/editor/windows/macos.ts'
import type { WindowSystem } from '../../src/editor/windows/system.ts'
import { windowSystemFor } from '../../src/editor/windows/window-system.ts'
import { parseWmctrl } from '../../src/editor/windows/wmctrl.ts'
import { x11Windows } from '../../src/editor/windows/x11.ts'
import { parseProperties } from '../../src/editor/windows/xprop.ts'
import { scanProcesses } from '../../src/system/process-table.ts'
import { type Result, type Runner, systemRunner } from '../../src/system/runner.ts'

const answered: Result = { exitCode: 0, signal: null, stdout: '', stderr: '', missing: false }
const missing: Result = { ...answered, exitCode: null, missing: true }

/** Answers by program and first argument; a program without an answer is not installed. */
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

test('wmctrl: ids as WINDOWID has them, foreign and nameless pids left out', () => {
  expect(parseWmctrl(wmctrlList, 'vm')).toEqual([
    { id: '4194316', pid: 8280, title: '' },
    { id: '6291463', pid: 8287, title: 'edx : bash — Konsole' },
    { id: '12582918', pid: 10702, title: '  two  spaces' },
  ])
})

test('wmctrl answers for all windows in one call', () => {
  const { exec, calls } = recorded({ 'wmctrl -lp': { stdout: wmctrlList } })
  expect(x11Windows(exec, {}, 'vm').list()).toHaveLength(3)
  expect(calls).toEqual(['wmctrl -lp'])
})

test('without wmctrl: xprop', () => {
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

test('xprop: a window of another machine is not ours', () => {
  const text = '_NET_WM_PID(CARDINAL) = 12\nWM_CLIENT_MACHINE(STRING) = "far"\n'
  expect(parseProperties('0x1', text, 'vm')).toBeNull()
})

const xdotoolAnswers = {
  'xdotool get_num_desktops': { stdout: '4\n' },
  'xdotool search': { stdout: '4194316\n4194331\n' },
  'xdotool getwindowpid 4194316': { stdout: '12\nabcd1234 web\n' },
  'xdotool getwindowpid 4194331': { exitCode: 1 },
}

test.each([':0', 'unix:0.0'])('with xdotool alone, on %s: windows with a class', DISPLAY => {
  const { exec } = recorded(xdotoolAnswers)
  expect(x11Windows(exec, { DISPLAY }, 'vm').list()).toEqual([
    { id: '4194316', pid: 12, title: 'abcd1234 web' },
  ])
})

test('with xdotool alone, on a forwarded display: windows unknown, with a reason', () => {
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
])('%s: windows unknown, with a reason', (_what, answers, reason) => {
  const windows = x11Windows(recorded(answers).exec, { DISPLAY: ':0' }, 'vm')
  expect(windows.list()).toBeNull()
  expect(windows.problem()).toMatch(reason)
})

test('an empty desktop is known to be empty', () => {
  const windows = x11Windows(recorded({ wmctrl: {} }).exec, {}, 'vm')
  expect(windows.list()).toEqual([])
  expect(windows.problem()).toBeNull()
})

test('under Wayland some windows are out of sight, and doctor may say so', () => {
  const windows = x11Windows(recorded({ wmctrl: {} }).exec, { WAYLAND_DISPLAY: 'wayland-0' }, 'vm')
  expect(windows.problem()).toMatch(/XWayland/)
})

const someWindow = { id: '7', pid: 1, title: '' }

test('focus and close: wmctrl, else xdotool, and never xdotool windowclose', () => {
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
])('no X display %j: nothing is asked', (env, reason) => {
  const { exec, calls } = recorded({})
  const windows = windowSystemFor('linux', env, exec)
  expect([windows.list(), windows.focus(someWindow), windows.close(someWindow)]).toEqual([null, false, false])
  expect(windows.problem()).toMatch(reason)
  expect(calls).toEqual([])
})

test('macOS: one osascript for all windows', () => {
  const stdout =
    '[{"id":81,"pid":410,"title":"abcd1234 web"},{"id":90,"pid":512,"title":""},{"odd":1},null]\n'
  const { exec, calls } = recorded({ osascript: { stdout } })
  expect(windowSystemFor('darwin', {}, exec).list()).toEqual([
    { id: '81', pid: 410, title: 'abcd1234 web' },
    { id: '90', pid: 512, title: '' },
  ])
  expect(calls).toHaveLength(1)
})

test('macOS: no permission, no window, no error', () => {
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

/** The test's own process stands in for a terminal with a window. */
function desktopWith(windows: Partial<WindowSystem>) {
  const asked: string[] = []
  const system: WindowSystem = {
    list: () => [{ id: '7', pid: process.pid, title: '' }],
    focus: ({ id }) => asked.push(`focus ${id}`) > 0,
    close: ({ id }) => asked.push(`close ${id}`) > 0,
    idVariable: null,
    problem: () => null,
    ...windows,
  }
  return { desktop: { platform: process.platform, exec: systemRunner, windows: system }, asked }
}

const startTime = scanProcesses(process.platform, systemRunner).get(process.pid)!.startTime
const seen = { id: '7', pid: process.pid, title: '', startTime }

test('a window that is still the same is asked', () => {
  const { desktop, asked } = desktopWith({})
  expect([focusWindow(desktop, seen), closeWindow(desktop, seen)]).toEqual(['asked', 'asked'])
  expect(asked).toEqual(['focus 7', 'close 7'])
})

test.each([
  ['the id now belongs to another process', { ...seen, pid: 1 }],
  ['the pid now belongs to a later process', { ...seen, startTime: '1' }],
  ['the window is closed', { ...seen, id: '8' }],
])('%s: nothing is done', (_what, was) => {
  const { desktop, asked } = desktopWith({})
  expect([focusWindow(desktop, was), closeWindow(desktop, was)]).toEqual(['gone', 'gone'])
  expect(asked).toEqual([])
})

test('windows that cannot be listed any more, or not be asked: unable', () => {
  expect(closeWindow(desktopWith({ list: () => null }).desktop, seen)).toBe('unable')
  expect(closeWindow(desktopWith({ close: () => false }).desktop, seen)).toBe('unable')
})
