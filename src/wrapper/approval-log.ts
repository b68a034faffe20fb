import { maskInput, maskSecrets } from '../approvals/mask-secrets.ts'
import type { ToolUse } from '../claude/agent-report.ts'
import {
  type AnswerDetails,
  confirmRequest,
  correctRequest,
  insertRequest,
  leaveToUser,
  type Outcome,
  settleRequest,
} from '../db/approvals.ts'
import type { Database } from '../db/open-store.ts'
import type { HistoryEntry } from '../mission/service.ts'
import type { MissionId } from '../mission-id.ts'
import type { Log } from './log.ts'

export interface LogEntry {
  id: number
  atMs: number
}

/** Records every permission request and its answer. `tell` gets them for the mission's history, once they are recorded. */
export class ApprovalLog {
  readonly #db: Database
  readonly #mission: MissionId
  readonly #now: () => Date
  readonly #log: Log
  readonly #tell: (entry: HistoryEntry) => void

  constructor(
    db: Database,
    mission: MissionId,
    now: () => Date,
    log: Log,
    tell: (entry: HistoryEntry) => void = () => {},
  ) {
    this.#db = db
    this.#mission = mission
    this.#now = now
    this.#log = log
    this.#tell = tell
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
      this.#write(() => this.#tell(['request', { request: String(id), tool }]))
      return { id, atMs: at.getTime() }
    } catch (error) {
      this.#log(`a request was not recorded: ${String(error)}`)
      return null
    }
  }

  close({ id, atMs }: LogEntry, outcome: Omit<Outcome, 'latencyMs'>): void {
    const answer = storable(outcome.answer)
    const latencyMs = this.#now().getTime() - atMs
    this.#write(() => {
      const isNew = settleRequest(this.#db, id, { ...outcome, answer, latencyMs })
      if (isNew) this.#tellDecision(id, outcome)
    })
  }

  /** Call it when Claude has taken the recorded answer. */
  confirm({ id }: LogEntry): void {
    this.#write(() => confirmRequest(this.#db, id))
  }

  /** Call it when Claude has taken an answer that the user gave first, in the dialog. */
  correct({ id }: LogEntry, decision: 'allow' | 'deny', answer: AnswerDetails | null): void {
    this.#write(() => {
      correctRequest(this.#db, id, decision, storable(answer))
      this.#tellDecision(id, { decision, by: 'user' })
    })
  }

  leaveToUser({ id }: LogEntry): void {
    this.#write(() => leaveToUser(this.#db, id))
  }

  #tellDecision(id: number, { decision, by }: Pick<Outcome, 'decision' | 'by'>): void {
    this.#tell(['decision', { request: String(id), decision, by }])
  }

  #write(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#log(`an answer was not recorded: ${String(error)}`)
    }
  }
}

function storable(answer: AnswerDetails | null | undefined): AnswerDetails | null {
  if (!answer) return null
  const text = (given: string) => maskSecrets(truncateText(given))
  const { answers, mode, message } = answer
  return {
    ...(answers && {
      answers: answers.map(({ question, answer: said, notes }) => ({
        question: text(question),
        answer: said === null ? null : text(said),
        notes: notes === null ? null : text(notes),
      })),
    }),
    ...(mode !== undefined && { mode }),
    ...(message !== undefined && { message: text(message) }),
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
