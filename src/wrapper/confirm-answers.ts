import { answersIn } from '../claude/question-answers.ts'
import { type Decisions, readDecisions } from '../claude/transcript.ts'
import type { AnswerDetails } from '../db/approvals.ts'
import type { ApprovalLog } from './approval-log.ts'
import { isSameUse, type OpenRequest, type UsedReport } from './open-requests.ts'

interface Given {
  request: OpenRequest
  decision: 'allow' | 'deny'
  /** The use of the tool, known once it has run. */
  done: UsedReport | null
}

/** Claude writes its transcript a moment after it reports the end of a tool or of a turn. */
const looksMs = [300, 2_000] as const
/** Limits the list for a Claude without a transcript, which never confirms an answer. */
const mostGiven = 50

/**
 * Finds out whose answer counted. While a hook waits, its dialog is open too, and the user may answer there at the same
 * moment. Claude does not tell the hook, but after the tool has run its transcript says whose answer it took.
 */
export class Confirmations {
  /** Called when it has become certain whose answer counted. */
  onCertain: () => void = () => {}
  readonly #approvals: Pick<ApprovalLog, 'confirm' | 'correct'>
  #given: Given[] = []
  readonly #claimed = new Set<string>()
  readonly #timers = new Set<NodeJS.Timeout>()

  constructor(approvals: Pick<ApprovalLog, 'confirm' | 'correct'>) {
    this.#approvals = approvals
  }

  add(request: OpenRequest, decision: 'allow' | 'deny'): void {
    this.#given = [...this.#given, { request, decision, done: null }].slice(-mostGiven)
  }

  /** A tool that has run was allowed, either by us or by the user. */
  seeUse(done: UsedReport): void {
    const given = this.#given.find(one => one.done === null && isSameUse(one.request.report, done))
    if (given) given.done = done
    this.#look()
    if (given && this.#given.includes(given)) for (const ms of looksMs) this.#later(ms, () => this.#look())
  }

  /** A tool use that has no mark at the end of its turn will never get one. */
  seeTurnEnd(): void {
    this.#look()
    const [soon, last] = looksMs
    if (this.#given.length === 0) return
    const over = new Set(this.#given)
    this.#later(soon, () => this.#look())
    this.#later(last, () => this.#look(over))
  }

  end(): void {
    this.#look()
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  #later(delayMs: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      work()
    }, delayMs)
    timer.unref()
    this.#timers.add(timer)
  }

  /** Requests whose use is known come first, because their marks cannot belong to another request. */
  #look(over: ReadonlySet<Given> = new Set()): void {
    const order = [...this.#given].sort((a, b) => Number(useIdOf(a) === null) - Number(useIdOf(b) === null))
    const resolved = order.filter(given => this.#resolve(given, over.has(given)))
    this.#given = this.#given.filter(given => !resolved.includes(given))
    if (resolved.length > 0) this.onCertain()
  }

  #resolve(given: Given, isLast: boolean): boolean {
    const { request, decision, done } = given
    const useId = useIdOf(given)
    const mayRunStill = useId === null && decision === 'allow' && !isLast
    if (mayRunStill) return false
    const decisions = decisionsSince(request, useId)
    const ours = this.#ourUse(decisions, decision, useId)
    if (ours !== null) {
      this.#claimed.add(ours)
      this.#approvals.confirm(request.entry)
      return true
    }
    const hasEnded = useId !== null && decisions.ended.has(useId)
    if (!hasEnded && !(isLast && decisions.ended.size > 0)) return false
    this.#approvals.correct(request.entry, useId === null ? 'deny' : 'allow', done && answerInDialog(done))
    return true
  }

  /** The use in which Claude took this answer. A tool that was denied or cut short has reported no id. */
  #ourUse({ byHook }: Decisions, decision: 'allow' | 'deny', useId: string | null): string | null {
    if (useId !== null) return byHook.get(useId) === decision ? useId : null
    const free = [...byHook].filter(([id, taken]) => taken === decision && !this.#claimed.has(id))
    return free[0]?.[0] ?? null
  }
}

function useIdOf({ done }: Given): string | null {
  return done?.use.id ?? null
}

/** What the user has answered in the dialog of a question. Null for other dialogs. */
export function answerInDialog({ use }: UsedReport): AnswerDetails | null {
  const answers = answersIn(use.input)
  return answers.length > 0 ? { answers } : null
}

const longestDelayBytes = 1024 * 1024

/** The request may have reached us late, so with an id an earlier part is read too: an id cannot be confused. */
function decisionsSince({ report, fromByte }: OpenRequest, useId: string | null): Decisions {
  const early = useId === null ? 0 : longestDelayBytes
  return readDecisions(report.transcriptPath ?? '', Math.max(0, fromByte - early))
}
