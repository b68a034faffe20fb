import { maskInput } from '../approvals/mask-secrets.ts'
import type { ToolUse } from '../claude/agent-report.ts'
import {
  confirmRequest,
  correctRequest,
  insertRequest,
  leaveToUser,
  type Outcome,
  settleRequest,
} from '../db/approvals.ts'
import type { Database } from '../db/open-store.ts'
import type { MissionId } from '../mission-id.ts'
import type { Log } from './log.ts'

export interface LogEntry {
  id: number
  atMs: number
}

/** Records every permission request and its answer. */
export class ApprovalLog {
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

  /** `isHandled` if a rule is about to answer it. Returns null if the request cannot be recorded. */
  open({ tool, input }: ToolUse, { isHandled = false } = {}): LogEntry | null {
    const at = this.#now()
    try {
      const id = insertRequest(this.#db, {
        mission_id: this.#mission,
        at: at.toISOString(),
        tool,
        input: maskInput(truncateInput(input)),
        handled: isHandled ? 1 : 0,
      })
      return { id, atMs: at.getTime() }
    } catch (error) {
      this.#log(`a request was not recorded: ${String(error)}`)
      return null
    }
  }

  close({ id, atMs }: LogEntry, outcome: Omit<Outcome, 'latencyMs'>): void {
    this.#write(() => settleRequest(this.#db, id, { ...outcome, latencyMs: this.#now().getTime() - atMs }))
  }

  /** Call it when it is certain whose answer Claude took. `decidedByUser` is the user's answer if it came first. */
  confirm({ id }: LogEntry, decidedByUser: 'allow' | 'deny' | null): void {
    this.#write(() =>
      decidedByUser === null ? confirmRequest(this.#db, id) : correctRequest(this.#db, id, decidedByUser),
    )
  }

  leaveToUser({ id }: LogEntry): void {
    this.#write(() => leaveToUser(this.#db, id))
  }

  #write(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#log(`an answer was not recorded: ${String(error)}`)
    }
  }
}

const longestText = 20_000

/** The content of a large file is not worth keeping twice. */
export function truncateInput(input: unknown): unknown {
  if (typeof input === 'string') return truncateText(input)
  if (Array.isArray(input)) return input.map(truncateInput)
  if (typeof input !== 'object' || input === null) return input
  return Object.fromEntries(Object.entries(input).map(([key, item]) => [key, truncateInput(item)]))
}

/** Does not cut a word in two, because half of a secret might not be recognised as one. */
function truncateText(text: string): string {
  if (text.length <= longestText) return text
  const kept = text.slice(0, longestText).replace(/\S{1,1000}$/, '')
  return `${kept}… and ${text.length - kept.length} more characters`
}
