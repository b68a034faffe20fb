import type { Window } from './system.ts'
import type { AskX, Listing } from './window-list.ts'

/**
 * xdotool searches the whole tree of windows; those with a class are programs' own, not a frame or a
 * button of the window manager. Without a window manager it still finds some, but cannot raise them.
 * It does not say which machine a window's pid counts on: on a forwarded display that is seldom this one.
 */
export function listWithXdotool(ask: AskX, _host: string, display: string): Listing {
  if (!isLocal(display)) return 'missing'
  const manager = ask('xdotool', 'get_num_desktops')
  if (manager.missing) return 'missing'
  if (manager.exitCode !== 0) return 'silent'
  const found = ask('xdotool', 'search', '--onlyvisible', '--class', '.')
  const ids = found.stdout.split('\n').filter(id => /^\d+$/.test(id))
  return ids.flatMap(id => {
    const answer = ask('xdotool', 'getwindowpid', id, 'getwindowname', id)
    return parseWindow(id, answer.stdout) ?? []
  })
}

function isLocal(display: string): boolean {
  return display.startsWith(':') || display.startsWith('unix:')
}

export function parseWindow(id: string, text: string): Window | null {
  const [pid = '', title = ''] = text.split('\n')
  return /^[1-9]\d*$/.test(pid) ? { id, pid: Number(pid), title } : null
}
