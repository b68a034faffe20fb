import type { Window } from './system.ts'
import { type AskX, isFromHere, type Listing } from './window-list.ts'

export function listWithWmctrl(ask: AskX, host: string): Listing {
  const answer = ask('wmctrl', '-lp')
  if (answer.missing) return 'missing'
  return answer.exitCode === 0 ? parseWmctrl(answer.stdout, host) : 'silent'
}

/** `0x00c00006  0 10702  host title, with any character` */
const line = /^(0x[0-9a-f]+)\s+-?\d+\s+(\d+)\s+(\S+) ?(.*)$/

export function parseWmctrl(text: string, host: string): Window[] {
  const windows: Window[] = []
  for (const row of text.split('\n')) {
    const [, id, pid, machine, title] = line.exec(row) ?? []
    if (!id || Number(pid) === 0 || !isFromHere(machine!, host)) continue
    windows.push({ id: String(Number(id)), pid: Number(pid), title: title === 'N/A' ? '' : title! })
  }
  return windows
}
