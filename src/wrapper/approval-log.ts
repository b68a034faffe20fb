import type { HookEvent } from '../claude/hook-event.ts'
import {
  confirmRequest,
  correctRequest,
  insertRequest,
  type Outcome,
  settleRequest,
} from '../db/approvals.ts'
import type { Database } from '../db/open-store.ts'
import type { MissionId } from '../mission-id.ts'
import type { Log } from './log.ts'
import { shortened } from './truncate-input.ts'

export interface Entry {
  id: number
  atMs: number
}

/** The record of every request and of its answer. */
export class Register {
  readonly #db: Database
  readonly #mission: MissionId
  readonly #now: () => Date
  readonly #log: Log

  constructor(db: Database, mission: MissionId, now: () => Date, log: Log) {
    this.#db = db
    this.#mission = mission
    this.#now = now
    this.#log = log
  }

  /** null: it cannot be recorded. */
  open({ toolName, toolInput }: HookEvent): Entry | null {
    const at = this.#now()
    try {
      const id = insertRequest(this.#db, {
        mission_id: this.#mission,
        at: at.toISOString(),
        tool: toolName ?? '',
        input: shortened(toolInput),
      })
      return { id, atMs: at.getTime() }
    } catch (error) {
      this.#log(`a request was not recorded: ${String(error)}`)
      return null
    }
  }

  close({ id, atMs }: Entry, outcome: Omit<Outcome, 'latencyMs'>): void {
    this.#write(() => settleRequest(this.#db, id, { ...outcome, latencyMs: this.#now().getTime() - atMs }))
  }

  /** Who answered is certain now: as it was closed, or else the user did, and so. */
  confirm({ id }: Entry, decidedByUser: 'allow' | 'deny' | null): void {
    this.#write(() =>
      decidedByUser === null ? confirmRequest(this.#db, id) : correctRequest(this.#db, id, decidedByUser),
    )
  }

  #write(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#log(`an answer was not recorded: ${String(error)}`)
    }
  }
}
