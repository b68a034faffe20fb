import type { Window } from './system.ts'
import { type AskX, isFromHere, type Listing } from './window-list.ts'

/** xprop answers for one window at a time: slower than wmctrl, and the same for any number of missions. */
export function listWithXprop(ask: AskX, host: string): Listing {
  const root = ask('xprop', '-root', '_NET_CLIENT_LIST')
  if (root.missing) return 'missing'
  const ids = parseClientList(root.stdout)
  if (root.exitCode !== 0 || ids === null) return 'silent'
  return ids.flatMap(id => {
    const properties = ask('xprop', '-id', id, '_NET_WM_PID', 'WM_CLIENT_MACHINE', '_NET_WM_NAME', 'WM_NAME')
    return parseProperties(id, properties.stdout, host) ?? []
  })
}

/** Null without a window manager: then the property is not there. */
export function parseClientList(text: string): string[] | null {
  const list = /^_NET_CLIENT_LIST\(WINDOW\): window id #(.*)$/m.exec(text)
  return list ? (list[1]!.match(/0x[0-9a-f]+/g) ?? []) : null
}

export function parseProperties(id: string, text: string, host: string): Window | null {
  const pid = /^_NET_WM_PID\(CARDINAL\) = (\d+)$/m.exec(text)?.[1]
  const machine = /^WM_CLIENT_MACHINE\(\w+\) = "(.*)"$/m.exec(text)?.[1] ?? ''
  const title = /^(?:_NET_)?WM_NAME\(\w+\) = "(.*)"$/m.exec(text)?.[1] ?? ''
  return pid && isFromHere(machine, host) ? { id: String(Number(id)), pid: Number(pid), title } : null
}
