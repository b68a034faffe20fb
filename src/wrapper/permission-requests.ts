import type { Rule } from '../approvals/rule.ts'
import type { AgentStatus, ReplyChannel, Report } from '../claude/agent-report.ts'
import { answeredInput, answeredQuestions, type QuestionAnswer } from '../claude/question-answers.ts'
import { transcriptBytes } from '../claude/transcript.ts'
import type { AnswerDetails, Outcome } from '../db/approvals.ts'
import { durationText } from '../io/duration.ts'
import type { ApprovalLog } from './approval-log.ts'
import { answerInDialog, Confirmations } from './confirm-answers.ts'
import type { Log } from './log.ts'
import { type AskReport, type OpenRequest, OpenRequests } from './open-requests.ts'
import type { RuleEngine, Ruling } from './rule-engine.ts'

/** An answer that was given with `agenc mission answer`. */
export interface GivenAnswer {
  allow: boolean
  mode?: string
  message?: string
  /** The answers to the questions in the request. */
  answers?: QuestionAnswer[]
}

type Decided = Omit<Outcome, 'latencyMs'>
type Answer = Decided & { decision: 'allow' | 'deny' }

const rejected = 'The user has rejected this.'

/** The permission requests of a running Claude. A rule, `mission answer` or the user answers them. */
export class Requests {
  /** Called when the last open request was answered by a rule or by `mission answer`, not in its dialog. */
  onAnswered: () => void = () => {}
  /** Called when a rule was about to answer, but now the user must. */
  onHandedOver: () => void = () => {}
  /** Called when it has become certain whose answer counted: the one of agenc, or the user's in the dialog. */
  onCertain: () => void = () => {}
  /** Called when a request cannot be denied in time, because its hook was killed. Claude would wait for ever. */
  onStuck: () => void = () => {}
  readonly #rules: RuleEngine
  readonly #approvals: ApprovalLog
  readonly #log: Log
  readonly #open = new OpenRequests()
  /** When Claude wrote its latest status, by its own clock. */
  #latestStatusMs = 0
  readonly #confirmations: Confirmations
  /** Without a terminal there is no dialog, and nobody waits for ever. Null on a terminal. */
  readonly #askTimeoutMs: number | null

  constructor(rules: RuleEngine, approvals: ApprovalLog, log: Log, askTimeoutMs: number | null = null) {
    this.#askTimeoutMs = askTimeoutMs
    this.#rules = rules
    this.#approvals = approvals
    this.#log = log
    this.#confirmations = new Confirmations(approvals)
    this.#confirmations.onCertain = () => this.onCertain()
  }

  get hasOpen(): boolean {
    return this.#open.all.length > 0
  }

  /** True if rules are about to answer all open requests. */
  get isHandled(): boolean {
    return this.hasOpen && this.#open.all.every(({ timer }) => timer !== null)
  }

  get openReports(): AskReport[] {
    return this.#open.all.map(({ report }) => report)
  }

  /** The oldest request that no rule is about to answer. */
  get forUser(): AskReport | null {
    return this.#open.all.find(({ timer }) => timer === null)?.report ?? null
  }

  /** The sender of the report waits on `channel`. Returns whether the request was answered at once. */
  take(report: Report, channel: ReplyChannel | null): boolean {
    switch (report.kind) {
      case 'asks':
        return this.#ask(report, channel)
      case 'about-to-use':
        return this.#check(report, channel)
      case 'used':
        this.#settle(this.#open.matching(report), {
          decision: 'allow',
          by: 'user',
          answer: answerInDialog(report),
        })
        this.#confirmations.seeUse(report)
        break
      case 'turn-ended':
      case 'prompt-taken':
      case 'subagent-ended':
        this.#settle(this.#open.ofAgent(report.agentId), { decision: 'deny', by: 'user' })
        // A prompt may be taken while tools still run.
        if (report.kind === 'turn-ended' && report.agentId === null) this.#confirmations.seeTurnEnd()
        break
      case 'replaced':
      case 'closed':
        this.end()
        break
    }
    channel?.release()
    return false
  }

  /** Claude's status shows when a dialog was answered. The activity that follows shows how. */
  seeStatus({ activity, updatedAtMs }: AgentStatus): void {
    if (updatedAtMs < this.#latestStatusMs)
      for (const request of this.#open.all) request.isBeforeSetback = true
    this.#latestStatusMs = updatedAtMs
    const isOlder = ({ entry, isBeforeSetback }: OpenRequest) => isBeforeSetback || entry.atMs < updatedAtMs
    const known = this.#open.all.filter(isOlder)
    if (activity === 'waiting') for (const request of known) request.isShown = true
    else {
      const shown = known.filter(({ isShown }) => isShown)
      this.#settle(shown, { decision: activity === 'busy' ? 'allow' : 'deny', by: 'user' })
      // Claude may also go on after a refusal. The report of the tool has the user's answers, or does not come.
      if (activity === 'busy')
        for (const request of shown)
          if (request.report.dialog !== 'permission') this.#confirmations.add(request, 'allow')
      if (activity === 'idle') this.#confirmations.seeTurnEnd()
    }
  }

  /** Returns false if the request is no longer open, if only its dialog can answer it, or if the answer does not fit. */
  answer(id: number, given: GivenAnswer): boolean {
    const request = this.#open.all.find(({ entry }) => entry.id === id)
    if (!request) return false
    const { allow, mode, message, answers = [] } = given
    const { dialog, use } = request.report
    const input = allow ? answeredInput(dialog, use.input, answers) : undefined
    if (input === null) return false
    const isTaken = this.#reply(
      request,
      channel => (allow ? channel.allow({ mode, input }) : channel.deny(message ?? rejected)),
      { decision: allow ? 'allow' : 'deny', by: 'answer', answer: detailsOf(use.input, given) },
    )
    if (isTaken) this.#announceAnswer()
    return isTaken
  }

  /** Closes all open requests, because Claude is about to end. */
  end(): void {
    this.#settle(this.#open.all, { decision: 'ask', by: 'timeout' })
    this.#confirmations.end()
  }

  #ask(report: AskReport, channel: ReplyChannel | null): boolean {
    const { decision, message, rule, delayMs } = this.#rule(report)
    const isAllowed = decision === 'allow' && !this.#rules.isHeld
    const isHandled = channel !== null && (isAllowed || decision === 'deny')
    const entry = this.#approvals.open(report.use, { isHandled })
    // Without a record, nothing is approved.
    if (entry === null) {
      if (this.#askTimeoutMs === null) channel?.release()
      else channel?.deny('agenc could not record this request, so nobody can be asked.')
      return false
    }
    const isMain = report.agentId === null
    const fromByte = transcriptBytes(report.transcriptPath ?? '')
    const request = {
      entry,
      report,
      channel,
      timer: null,
      isShown: isMain,
      isBeforeSetback: false,
      fromByte,
    }
    this.#open.add(request)
    if (decision === 'deny')
      return (
        this.#reply(request, open => open.deny(message), { decision, by: 'rule', rule }) ||
        this.#handOver(request)
      )
    if (isAllowed && (delayMs === 0 || !isMain)) return this.#allow(request, rule) || this.#handOver(request)
    this.#leaveToDialog(request)
    if (isAllowed && request.channel)
      this.#open.setTimer(request, delayMs, () => this.#afterDelay(request, rule))
    return false
  }

  /** If the rules cannot be applied, the request is left to the user. */
  #rule({ use }: AskReport): Ruling {
    try {
      return this.#rules.rule(use)
    } catch (error) {
      this.#log(`a request could not be compared with the rules: ${String(error)}`)
      return { decision: 'ask', message: '', rule: null, delayMs: 0 }
    }
  }

  /** The hook waits for `mission answer`, while the dialog is open. That of a subagent opens only after its hook has ended. */
  #leaveToDialog(request: OpenRequest): void {
    const { channel, report } = request
    if (this.#askTimeoutMs !== null) {
      channel?.keepWaiting()
      request.deadline = setTimeout(() => this.#onDeadline(request), this.#askTimeoutMs)
    } else if (report.agentId === null) channel?.keepWaiting()
    else {
      channel?.release()
      request.channel = null
    }
  }

  #onDeadline(request: OpenRequest): void {
    const waited = durationText(this.#askTimeoutMs ?? 0)
    const message = `Nobody answered this request within ${waited}, so it is denied. Go on without it if you can.`
    const isTaken = this.#reply(request, channel => channel.deny(message), {
      decision: 'deny',
      by: 'timeout',
    })
    if (isTaken) this.#announceAnswer()
    else {
      this.#log(`request ${request.entry.id} could not be denied: its hook does not wait any more`)
      this.onStuck()
    }
  }

  #afterDelay(request: OpenRequest, rule: Rule | null): void {
    if (this.#rules.isHeld) {
      this.#log(`approvals are paused: request ${request.entry.id} is left to the user`)
      this.#handOver(request)
    } else if (this.#allow(request, rule)) this.#announceAnswer()
    // The hook has stopped waiting.
    else this.#handOver(request)
  }

  #handOver({ entry }: OpenRequest): false {
    this.#approvals.leaveToUser(entry)
    this.onHandedOver()
    return false
  }

  #announceAnswer(): void {
    if (!this.hasOpen) this.onAnswered()
  }

  /** Runs before a tool that Claude would use without asking. Stops it if a rule denies it, or might. */
  #check({ use }: Report & { kind: 'about-to-use' }, channel: ReplyChannel | null): boolean {
    if (channel === null) return false
    try {
      const ruling = this.#rules.objection(use)
      if (ruling === null) channel.release()
      else if (ruling.decision !== 'deny') channel.askUser(`agenc: ${ruling.message}`)
      else {
        const entry = this.#approvals.open(use)
        channel.deny(ruling.message)
        if (entry) this.#approvals.close(entry, { decision: 'deny', by: 'rule', rule: ruling.rule })
      }
      return ruling?.decision === 'deny'
    } catch (error) {
      this.#log(`a tool could not be checked: ${String(error)}`)
      channel.giveUp()
      return false
    }
  }

  #allow(request: OpenRequest, rule: Rule | null): boolean {
    return this.#reply(request, channel => channel.allow(), { decision: 'allow', by: 'rule', rule })
  }

  /** A subagent has no dialog while its hook runs, so the hook's answer needs no confirmation. */
  #reply(request: OpenRequest, send: (channel: ReplyChannel) => boolean, decided: Answer): boolean {
    const isTaken = request.channel !== null && send(request.channel)
    if (!isTaken) return false
    const isConfirmed = request.report.agentId !== null
    this.#settle([request], { ...decided, isConfirmed })
    if (!isConfirmed) this.#confirmations.add(request, decided.decision)
    return true
  }

  #settle(requests: readonly OpenRequest[], decided: Decided): void {
    for (const request of requests) {
      this.#open.remove(request)
      this.#approvals.close(request.entry, decided)
    }
  }
}

function detailsOf(
  input: Record<string, unknown>,
  { mode, message, answers = [] }: GivenAnswer,
): AnswerDetails | null {
  const answered = answeredQuestions(input, answers) ?? []
  if (answered.length === 0 && mode === undefined && message === undefined) return null
  return { mode, message, answers: answered.length > 0 ? answered : undefined }
}
