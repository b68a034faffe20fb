import type { Database } from 'better-sqlite3'
import { recordEvent, recordRemoval } from '../db/events.ts'
import {
  insertMessage,
  type MessageChange,
  type MessageStatus,
  type NewMessage,
  updateMessage,
} from '../db/messages.ts'
import {
  deleteMission,
  getMission,
  insertMission,
  type MissionChange,
  type MissionRecord,
  missionsOnRepo,
  type NewMission,
  updateIfHeldBy,
  updateMission,
} from '../db/missions.ts'
import { linkPlan } from '../db/plans.ts'
import type { MissionId } from '../mission-id.ts'

/** One event in a mission's history. */
export type HistoryEntry = readonly [kind: string, data?: Record<string, unknown>]

/** The change of one mission in one write. Subscribers get it after the commit. */
export interface MissionChanged {
  id: MissionId
  /** The columns that were written, with their new values. */
  change: MissionChange
  history: readonly HistoryEntry[]
  /** The mission was deleted, with its history. */
  isRemoved: boolean
}

export type Subscriber = (changed: MissionChanged) => void

/**
 * The only way to change a mission. Rows and history are written in one transaction. Subscribers are notified after the
 * commit, once per mission, so they never see a change that was rolled back.
 */
export class MissionService {
  readonly #db: Database
  readonly #now: () => Date
  readonly #warn: (message: string) => void
  readonly #subscribers = new Set<Subscriber>()

  /** `warn` is told if a subscriber fails. */
  constructor(db: Database, now: () => Date, warn: (message: string) => void = () => {}) {
    this.#db = db
    this.#now = now
    this.#warn = warn
  }

  /** Returns a function that ends the subscription. */
  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber)
    return () => void this.#subscribers.delete(subscriber)
  }

  get(id: MissionId): MissionRecord | undefined {
    return getMission(this.#db, id)
  }

  /** All missions of a repo, also archived ones. */
  onRepo(repo: string): MissionRecord[] {
    return missionsOnRepo(this.#db, repo)
  }

  /** Writes everything that `work` writes, or nothing. */
  write<T>(work: (writer: MissionWriter) => T): T {
    const writer = new MissionWriter(this.#db, this.#now().toISOString())
    const result = this.#db.transaction(() => work(writer)).immediate()
    for (const changed of writer.changes) this.#notify(changed)
    return result
  }

  /** The change is committed, so a subscriber that fails must not make the write fail. */
  #notify(changed: MissionChanged): void {
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(changed)
      } catch (error) {
        this.#warn(`a change was stored but not shown: ${String(error)}`)
      }
    }
  }

  /** Writes one change of one mission. */
  change(id: MissionId, change: MissionChange, ...history: HistoryEntry[]): void {
    this.write(writer => writer.change(id, change, ...history))
  }
}

/** The writes that are possible inside a transaction of the service. */
export class MissionWriter {
  /** The time of this write, ISO 8601. */
  readonly at: string
  readonly #db: Database
  readonly #removed = new Set<MissionId>()
  readonly #changes = new Map<MissionId, { change: MissionChange; history: HistoryEntry[] }>()

  constructor(db: Database, at: string) {
    this.#db = db
    this.at = at
  }

  get changes(): MissionChanged[] {
    return [...this.#changes].map(([id, changed]) => ({ id, ...changed, isRemoved: this.#removed.has(id) }))
  }

  get(id: MissionId): MissionRecord | undefined {
    return getMission(this.#db, id)
  }

  /** All missions of a repo, also archived ones. */
  onRepo(repo: string): MissionRecord[] {
    return missionsOnRepo(this.#db, repo)
  }

  insert(mission: Omit<NewMission, 'created_at'>, ...history: HistoryEntry[]): void {
    const created = { ...mission, created_at: this.at }
    insertMission(this.#db, created)
    this.#note(mission.id, created, history)
  }

  change(id: MissionId, change: MissionChange, ...history: HistoryEntry[]): void {
    updateMission(this.#db, id, change)
    this.#note(id, change, history)
  }

  /** Changes the mission only if `holder` has its lease. Null stands for no holder. Returns whether it was changed. */
  changeIfHeldBy(
    id: MissionId,
    holder: { pid: number; start: string } | null,
    change: MissionChange,
    ...history: HistoryEntry[]
  ): boolean {
    if (!updateIfHeldBy(this.#db, id, holder, change)) return false
    this.#note(id, change, history)
    return true
  }

  linkPlan(id: MissionId, path: string): void {
    if (linkPlan(this.#db, id, path, this.at)) this.#note(id, {}, [['plan', { path }]])
  }

  /** Stores a message to a mission, and its history with the message's id. Returns the id. */
  addMessage(message: NewMessage, ...history: HistoryEntry[]): number {
    const id = insertMessage(this.#db, { ...message, at: this.at })
    this.#note(
      message.mission_id,
      {},
      history.map(([kind, data]) => [kind, { id, ...data }] as const),
    )
    return id
  }

  /** Changes the message only if it has one of these statuses. Returns whether it was changed. */
  changeMessage(
    mission: MissionId,
    id: number,
    from: readonly MessageStatus[],
    change: MessageChange,
    ...history: HistoryEntry[]
  ): boolean {
    if (!updateMessage(this.#db, id, from, change)) return false
    this.#note(mission, {}, history)
    return true
  }

  /** Also deletes the mission's history. Only the removal stays on record. */
  remove(id: MissionId): void {
    if (getMission(this.#db, id, { removed: true })) recordRemoval(this.#db, id, this.at)
    deleteMission(this.#db, id)
    this.#changes.set(id, { change: {}, history: [] })
    this.#removed.add(id)
  }

  #note(id: MissionId, change: MissionChange, history: readonly HistoryEntry[]): void {
    for (const [kind, data] of history) recordEvent(this.#db, id, this.at, kind, data)
    const noted = this.#changes.get(id) ?? { change: {}, history: [] }
    Object.assign(noted.change, change)
    noted.history.push(...history)
    this.#changes.set(id, noted)
  }
}
