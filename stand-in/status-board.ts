import type { Status, StatusFile, WaitingFor } from './status-file.ts'

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

/** Tells the status file and the screen what changed, once everything that follows from a change has happened. */
export class StatusBoard {
  private readonly file: StatusFile | undefined
  private readonly doings: () => Doings
  private readonly refresh: () => void
  private live = false
  private pending = false

  constructor(file: StatusFile | undefined, doings: () => Doings, refresh: () => void) {
    this.file = file
    this.doings = doings
    this.refresh = refresh
  }

  /** From now on there is a status to tell. */
  open(): void {
    this.live = true
    this.changed()
  }

  close(): void {
    this.live = false
  }

  /** Not at once: a tool that is refused must not look busy for a moment. */
  changed(): void {
    if (this.pending) return
    this.pending = true
    setImmediate(() => {
      this.pending = false
      const { status, waitingFor } = statusOf(this.doings())
      if (this.live) this.file?.status(status, waitingFor)
      this.refresh()
    })
  }
}
