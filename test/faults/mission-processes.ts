import { readdirSync, readFileSync } from 'node:fs'
import { linuxDescendants } from '../../src/system/process-tree.ts'
import { isAlive, untilGone } from '../helpers/processes.ts'
import type { SessionBox } from '../helpers/session.ts'

/** The living processes that have this mission in their environment. Needs /proc. */
export function processesOf(mission: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => Number.isInteger(pid) && environmentOf(pid).includes(`AGENC_MISSION_UUID=${mission}`))
    .filter(isAlive)
}

function environmentOf(pid: number): string[] {
  return readProc(pid, 'environ')
}

export function commandLineOf(pid: number): string[] {
  return readProc(pid, 'cmdline')
}

function readProc(pid: number, file: 'environ' | 'cmdline'): string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0')
  } catch {
    return []
  }
}

export function familyOf(pid: number): number[] {
  return [pid, ...(linuxDescendants(pid) ?? [])]
}

/** None if the guard was killed and is not replaced yet. */
export function guardsOf(wrapper: number): number[] {
  return familyOf(wrapper).filter(pid => commandLineOf(pid).includes('agenc-guard'))
}

/** The guard of a wrapper: a shell that ends Claude if the wrapper is killed. */
export function guardOf(wrapper: number): number {
  const found = guardsOf(wrapper)
  if (found.length !== 1) throw new Error(`the wrapper ${wrapper} has ${found.length} guards`)
  return found[0]!
}

/**
 * Before 3.6, tmux may miss the end of a killed wrapper until another program ends that it has started. The guard sees to
 * that. Where the guard was killed too, it takes a new window or a key of agenc, in place of which this runs a program.
 */
export async function remindTmux(box: SessionBox, wrappers: readonly number[]): Promise<void> {
  await untilGone(...wrappers)
  box.tmux('run-shell', ':')
}
