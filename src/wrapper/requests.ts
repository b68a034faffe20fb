import { join } from 'node:path'
import type { Rule } from '../approvals/rule.ts'
import { isForTheUser } from '../approvals/tool-input.ts'
import { transcriptBytes } from '../claude/decisions.ts'
import { AskChannel } from '../claude/hook-channel.ts'
import type { HookEvent } from '../claude/hook-event.ts'
import {
  allowReply,
  askAboutToolReply,
  denyReply,
  type Reply,
  refuseToolReply,
} from '../claude/permission-reply.ts'
import type { Outcome } from '../db/approvals.ts'
import type { Register } from './approval-log.ts'
import { Confirmations } from './confirmations.ts'
import type { Log } from './log.ts'
import { type OpenRequest, OpenRequests } from './open-requests.ts'
import type { Judge, Ruling } from './rule-engine.ts'

export interface RequestsOptions {
  judge: Judge
  register: Register
  log: Log
  asksDirectory: string
  /** The last open one was answered by a rule or from elsewhere, not in its dialog. */
  onAnswered: () => void
  /** A rule would have answered, but now it is the user's. */
  onHandedOver: () => void
}

/** An answer that was given with `agenc mission answer`. */
export interface GivenAnswer {
  allow: boolean
  mode?: string
  message?: string
}

type Decided = Omit<Outcome, 'latencyMs'>
type Answer = Decided & { decision: 'allow' | 'deny' }

const turnedDown = 'The user has turned this down.'

/** Permission requests of a running Claude: decided by rules, answered from elsewhere, or left to the user. */
export class Requests {
  readonly #options: RequestsOptions
  readonly #open = new OpenRequests()
  readonly #confirmations: Confirmations

  constructor(options: RequestsOptions) {
    this.#options = options
    this.#confirmations = new Confirmations(options.register)
  }

  get hasOpen(): boolean {
    return this.#open.all.length > 0
  }

  /** Every open one will be answered by a rule in a moment. */
  get isHandled(): boolean {
    return this.hasOpen && this.#open.all.every(({ timer }) => timer !== null)
  }

  /** `hook` is the name that the hook waits under. true: nobody needs to be asked. */
  take(event: HookEvent, hook: string): boolean {
    switch (event.name) {
      case 'PermissionRequest':
        return this.#ask(event, this.#channel(hook))
      case 'PreToolUse':
        return this.#check(event, this.#channel(hook))
      case 'PostToolUse':
      case 'PostToolUseFailure':
        this.#settle(this.#open.matching(event), { decision: 'allow', by: 'user' })
        this.#confirmations.seeUse(event)
        return false
      case 'Stop':
      case 'StopFailure':
      case 'UserPromptSubmit':
      case 'SubagentStop':
        this.#settle(this.#open.ofAgent(event.agentId), { decision: 'deny', by: 'user' })
        if (isTurnEnd(event)) this.#confirmations.seeTurnEnd()
        return false
      case 'SessionEnd':
        this.end()
        return false
      default:
        return false
    }
  }

  /** The event could not be read: whoever waits there must not wait for ever. */
  drop(hook: string): void {
    this.#channel(hook)?.giveUp()
  }

  /** Claude's own status tells when a dialog was answered, and by its next state also how. */
  seeStatus(status: string, updatedAtMs: number): void {
    const known = this.#open.all.filter(({ entry }) => entry.atMs < updatedAtMs)
    if (status === 'waiting') for (const request of known) request.isShown = true
    else {
      const decision = status === 'busy' ? 'allow' : 'deny'
      const shown = known.filter(({ isShown }) => isShown)
      this.#settle(shown, { decision, by: 'user' })
      if (status === 'idle') this.#confirmations.seeTurnEnd()
    }
  }

  /** false: it is not open any more, or only its dialog can answer it. */
  answer(id: number, { allow, mode, message }: GivenAnswer): boolean {
    const request = this.#open.all.find(({ entry }) => entry.id === id)
    if (!request) return false
    const reply = allow ? allowReply({ mode }) : denyReply(message ?? turnedDown)
    const isTaken = this.#reply(request, reply, { decision: allow ? 'allow' : 'deny', by: 'answer' })
    if (isTaken) this.#announceAnswer()
    return isTaken
  }

  /** Claude is going: nobody will answer any more. */
  end(): void {
    this.#settle(this.#open.all, { decision: 'ask', by: 'timeout' })
    this.#confirmations.end()
  }

  #channel(hook: string): AskChannel | null {
    return /^\d+$/.test(hook) ? AskChannel.open(join(this.#options.asksDirectory, hook)) : null
  }

  #ask(event: HookEvent, channel: AskChannel | null): boolean {
    const { judge, register } = this.#options
    const { decision, message, rule, delayMs } = this.#rule(event)
    const entry = register.open(event)
    // What is not on record is not approved.
    if (entry === null) {
      channel?.release()
      return false
    }
    const fromByte = transcriptBytes(event.transcriptPath ?? '')
    const request = { entry, event, channel, timer: null, isShown: event.agentId === null, fromByte }
    this.#open.add(request)
    if (decision === 'deny') return this.#reply(request, denyReply(message), { decision, by: 'rule', rule })
    const isAllowed = decision === 'allow' && !judge.isHeld
    if (isAllowed && (delayMs === 0 || event.agentId !== null)) return this.#allow(request, rule)
    this.#leaveToDialog(request)
    if (isAllowed && request.channel)
      this.#open.setTimer(request, delayMs, () => this.#afterDelay(request, rule))
    return false
  }

  /** What cannot be judged is the user's. */
  #rule(event: HookEvent): Ruling {
    try {
      return this.#options.judge.rule(event)
    } catch (error) {
      this.#options.log(`a request could not be judged: ${String(error)}`)
      return { decision: 'ask', message: '', rule: null, delayMs: 0 }
    }
  }

  /** A subagent's dialog opens only when its hook has ended; plans and questions have no answer but their own. */
  #leaveToDialog(request: OpenRequest): void {
    const { channel, event } = request
    if (event.agentId === null && !isForTheUser(event.toolName ?? '')) channel?.keepWaiting()
    else {
      channel?.release()
      request.channel = null
    }
  }

  #afterDelay(request: OpenRequest, rule: Rule | null): void {
    const { judge, log, onHandedOver } = this.#options
    if (judge.isHeld) {
      log(`on hold: request ${request.entry.id} is left to the user`)
      onHandedOver()
    } else if (this.#allow(request, rule)) this.#announceAnswer()
    // The hook has given up meanwhile.
    else onHandedOver()
  }

  #announceAnswer(): void {
    if (!this.hasOpen) this.#options.onAnswered()
  }

  /** Before a tool that Claude may run unasked: stopped is what a rule denies, or may deny. */
  #check(event: HookEvent, channel: AskChannel | null): boolean {
    if (channel === null) return false
    try {
      const ruling = this.#options.judge.objection(event)
      if (ruling === null) channel.release()
      else if (ruling.decision === 'deny') this.#refuse(event, channel, ruling)
      else channel.answer(askAboutToolReply(`agenc: ${ruling.message}`))
      return ruling?.decision === 'deny'
    } catch (error) {
      this.#options.log(`a tool could not be checked: ${String(error)}`)
      channel.giveUp()
      return false
    }
  }

  #refuse(event: HookEvent, channel: AskChannel, { message, rule }: Ruling): void {
    const { register } = this.#options
    const entry = register.open(event)
    channel.answer(refuseToolReply(message))
    if (entry) register.close(entry, { decision: 'deny', by: 'rule', rule })
  }

  #allow(request: OpenRequest, rule: Rule | null): boolean {
    return this.#reply(request, allowReply(), { decision: 'allow', by: 'rule', rule })
  }

  /** A subagent has no dialog while its hook runs: what the hook takes there is what counts. */
  #reply(request: OpenRequest, reply: Reply, decided: Answer): boolean {
    const isTaken = request.channel?.answer(reply) ?? false
    if (!isTaken) return false
    const isConfirmed = request.event.agentId !== null
    this.#settle([request], { ...decided, isConfirmed })
    if (!isConfirmed) this.#confirmations.add(request, decided.decision)
    return true
  }

  #settle(requests: readonly OpenRequest[], decided: Decided): void {
    for (const request of requests) {
      this.#open.remove(request)
      this.#options.register.close(request.entry, decided)
    }
  }
}

/** A prompt may come while tools still run. */
function isTurnEnd({ name, agentId }: HookEvent): boolean {
  return agentId === null && (name === 'Stop' || name === 'StopFailure')
}
