import type { Result, Runner } from '../system/runner.ts'
import type { Window, WindowSystem } from './window-system.ts'

/** A frozen X server must not freeze `agenc status`. */
const timeoutMs = 2_000

export function x11Windows(exec: Runner, env: NodeJS.ProcessEnv, host: string): WindowSystem {
  const ask: AskX = (program, ...args) => exec.capture(program, args, { env, timeoutMs })
  const listing = () => listWithFirstInstalled(ask, host, env.DISPLAY ?? '')
  return {
    list: () => {
      const windows = listing()
      return typeof windows === 'string' ? null : windows
    },
    focus: ({ id }) => firstToRun(ask, ['wmctrl', '-ia', id], ['xdotool', 'windowactivate', id]),
    // `xdotool windowclose` would destroy the window without asking its program. `windowquit` came in 2021.
    close: ({ id }) => firstToRun(ask, ['wmctrl', '-ic', id], ['xdotool', 'windowquit', id]),
    idVariable: 'WINDOWID',
    problem: () => problemOf(listing(), ask) ?? (env.WAYLAND_DISPLAY ? onlyXwayland : null),
  }
}

/** Runs one X program against the display. */
type AskX = (program: string, ...args: string[]) => Result

/** `missing`: the program is not installed or of no use for this display. `silent`: it ran, but had no answer. */
type Listing = Window[] | 'missing' | 'silent'

function listWithFirstInstalled(ask: AskX, host: string, display: string): Listing {
  for (const list of [listWithWmctrl, listWithXprop, listWithXdotool]) {
    const windows = list(ask, host, display)
    if (windows !== 'missing') return windows
  }
  return 'missing'
}

function firstToRun(ask: AskX, ...commands: [string, ...string[]][]): boolean {
  for (const command of commands) {
    const answer = ask(...command)
    if (!answer.missing) return answer.exitCode === 0
  }
  return false
}

const onlyXwayland = 'under Wayland only the windows of X programs (XWayland) can be found'

function problemOf(windows: Listing, ask: AskX): string | null {
  if (windows === 'missing') return 'windows cannot be found: install wmctrl'
  if (windows === 'silent') {
    return 'the X display does not answer, or its window manager does not list its windows (EWMH)'
  }
  return ask('wmctrl', '-h').missing ? 'windows may not be raised or closed: install wmctrl' : null
}

/** A forwarded display also shows windows of other machines, whose pids mean nothing here. */
function isFromHere(machine: string, host: string): boolean {
  const firstLabel = (name: string) => name.split('.')[0]!.toLowerCase()
  return machine === '' || machine === 'N/A' || firstLabel(machine) === firstLabel(host)
}

function listWithWmctrl(ask: AskX, host: string): Listing {
  const answer = ask('wmctrl', '-lp')
  if (answer.missing) return 'missing'
  return answer.exitCode === 0 ? parseWmctrl(answer.stdout, host) : 'silent'
}

/** `0x00c00006  0 10702  host title, with any character` */
const wmctrlLine = /^(0x[0-9a-f]+)\s+-?\d+\s+(\d+)\s+(\S+) ?(.*)$/

export function parseWmctrl(text: string, host: string): Window[] {
  const windows: Window[] = []
  for (const row of text.split('\n')) {
    const [, id, pid, machine, title] = wmctrlLine.exec(row) ?? []
    if (!id || Number(pid) === 0 || !isFromHere(machine!, host)) continue
    windows.push({ id: String(Number(id)), pid: Number(pid), title: title === 'N/A' ? '' : title! })
  }
  return windows
}

/** Slower than wmctrl: xprop answers for one window at a time. */
function listWithXprop(ask: AskX, host: string): Listing {
  const root = ask('xprop', '-root', '_NET_CLIENT_LIST')
  if (root.missing) return 'missing'
  const ids = parseClientList(root.stdout)
  if (root.exitCode !== 0 || ids === null) return 'silent'
  return ids.flatMap(id => {
    const properties = ask('xprop', '-id', id, '_NET_WM_PID', 'WM_CLIENT_MACHINE', '_NET_WM_NAME', 'WM_NAME')
    return parseProperties(id, properties.stdout, host) ?? []
  })
}

/** Returns null if there is no window manager, because then the property does not exist. */
function parseClientList(text: string): string[] | null {
  const list = /^_NET_CLIENT_LIST\(WINDOW\): window id #(.*)$/m.exec(text)
  return list ? (list[1]!.match(/0x[0-9a-f]+/g) ?? []) : null
}

export function parseProperties(id: string, text: string, host: string): Window | null {
  const pid = /^_NET_WM_PID\(CARDINAL\) = (\d+)$/m.exec(text)?.[1]
  const machine = /^WM_CLIENT_MACHINE\(\w+\) = "(.*)"$/m.exec(text)?.[1] ?? ''
  const title = /^(?:_NET_)?WM_NAME\(\w+\) = "(.*)"$/m.exec(text)?.[1] ?? ''
  return pid && isFromHere(machine, host) ? { id: String(Number(id)), pid: Number(pid), title } : null
}

/**
 * xdotool searches the whole window tree, so only windows with a class count: frames and buttons of the window
 * manager have none. xdotool does not say which machine a pid belongs to, so it is not used on a forwarded display.
 */
function listWithXdotool(ask: AskX, _host: string, display: string): Listing {
  if (!/^(unix)?:/.test(display)) return 'missing'
  // Without a window manager xdotool still finds windows, but cannot raise them.
  const manager = ask('xdotool', 'get_num_desktops')
  if (manager.missing) return 'missing'
  if (manager.exitCode !== 0) return 'silent'
  const found = ask('xdotool', 'search', '--onlyvisible', '--class', '.')
  const ids = found.stdout.split('\n').filter(id => /^\d+$/.test(id))
  return ids.flatMap(id => {
    const [pid = '', title = ''] = ask('xdotool', 'getwindowpid', id, 'getwindowname', id).stdout.split('\n')
    return /^[1-9]\d*$/.test(pid) ? { id, pid: Number(pid), title } : []
  })
}
