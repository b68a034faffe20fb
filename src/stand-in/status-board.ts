import type { Status, WaitingFor } from './status-file.ts'

export interface Doings {
  /** A prompt or a command is being worked on. */
  busy: boolean
  subagents: number
  shells: number
  waitingFor?: WaitingFor
}

/** `shell`: nothing to do, but a command still runs in the background. */
export function statusOf(doings: Doings): { status: Status; waitingFor?: WaitingFor } {
  if (doings.waitingFor) return { status: 'waiting', waitingFor: doings.waitingFor }
  if (doings.busy || doings.subagents > 0) return { status: 'busy' }
  return { status: doings.shells > 0 ? 'shell' : 'idle' }
}
