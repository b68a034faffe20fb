import { type Decisions, readDecisions } from '../claude/decisions.ts'
import type { HookEvent } from '../claude/hook-event.ts'
import type { Register } from './approval-log.ts'
import { isSameUse, type OpenRequest } from './open-requests.ts'

interface Given {
  request: OpenRequest
  decision: 'allow' | 'deny'
  /** Which use it was, known when the tool has run. */
  useId: string | null
}

/** Claude writes its transcript a moment later than it tells of a turn's end. */
const looksMs = [300, 2_000] as const
/** Where Claude keeps no transcript, nothing is ever confirmed. */
const mostGiven = 50

/**
 * Answers given to a hook while its dialog stood: the user may have answered there in the same moment. Claude
 * does not say so to the hook, but its transcript tells, when the tool is done, whose answer it took.
 */
export class Confirmations {
  readonly #register: Pick<Register, 'confirm'>
  #given: Given[] = []
  readonly #claimed = new Set<string>()
  readonly #timers = new Set<NodeJS.Timeout>()

  constructor(register: Pick<Register, 'confirm'>) {
    this.#register = register
  }

  add(request: OpenRequest, decision: 'allow' | 'deny'): void {
    this.#given = [...this.#given, { request, decision, useId: null }].slice(-mostGiven)
  }

  /** The tool has run, so somebody allowed it. */
  seeUse(done: HookEvent): void {
    const given = this.#given.find(({ request, useId }) => useId === null && isSameUse(request.event, done))
    if (given) given.useId = done.toolUseId
    this.#look()
  }

  /** The turn is over: what has no mark by now will get none. */
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

  /** Those whose use is known come first: what is theirs can be nobody else's. */
  #look(over: ReadonlySet<Given> = new Set()): void {
    const order = [...this.#given].sort((a, b) => Number(a.useId === null) - Number(b.useId === null))
    const resolved = order.filter(given => this.#resolve(given, over.has(given)))
    this.#given = this.#given.filter(given => !resolved.includes(given))
  }

  #resolve({ request, decision, useId }: Given, isLast: boolean): boolean {
    const mayRunStill = useId === null && decision === 'allow' && !isLast
    if (mayRunStill) return false
    const decisions = decisionsSince(request, useId)
    const ours = this.#ourUse(decisions, decision, useId)
    if (ours !== null) {
      this.#claimed.add(ours)
      this.#register.confirm(request.entry, null)
      return true
    }
    const hasEnded = useId !== null && decisions.ended.has(useId)
    if (!hasEnded && !(isLast && decisions.ended.size > 0)) return false
    this.#register.confirm(request.entry, useId === null ? 'deny' : 'allow')
    return true
  }

  /** The use in which Claude took this answer. A tool that was denied, or cut short, has told no id. */
  #ourUse({ byHook }: Decisions, decision: 'allow' | 'deny', useId: string | null): string | null {
    if (useId !== null) return byHook.get(useId) === decision ? useId : null
    const free = [...byHook].filter(([id, taken]) => taken === decision && !this.#claimed.has(id))
    return free[0]?.[0] ?? null
  }
}

const longestDelayBytes = 1024 * 1024

/** We may have heard of the request late. With an id nothing can be taken for something else. */
function decisionsSince({ event, fromByte }: OpenRequest, useId: string | null): Decisions {
  const early = useId === null ? 0 : longestDelayBytes
  return readDecisions(event.transcriptPath ?? '', Math.max(0, fromByte - early))
}
