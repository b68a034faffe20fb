import { join } from 'node:path'
import { decide, denied } from '../approvals/decide.ts'
import { isHeld } from '../approvals/hold.ts'
import type { Rule, Verdict } from '../approvals/rule.ts'
import { isForTheUser } from '../approvals/tool.ts'
import type { HookEvent } from '../claude/hook-event.ts'
import { allowReply, denyReply, type Reply, refuseToolReply } from '../claude/permission-reply.ts'
import { type ApprovalDecision, type DecidedBy, insertRequest, settleRequest } from '../db/approvals.ts'
import { getMission } from '../db/missions.ts'
import type { Database } from '../db/open.ts'
import type { MissionId } from '../mission/id.ts'
import { effectiveApprove } from '../mission/permission.ts'
import type { Paths } from '../paths.ts'
import { AskChannel } from './ask-channel.ts'
import { ringBell } from './bell.ts'
import type { CurrentSettings } from './current-settings.ts'
import type { Log } from './log.ts'
import { type OpenRequest, OpenRequests } from './open-requests.ts'
import { shortened } from './shortened.ts'
import type { Word } from './word.ts'

export interface RequestsOptions {
  db: Database
  id: MissionId
  now: () => Date
  log: Log
  paths: Paths
  asksDirectory: string
  settings: CurrentSettings
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

const turnedDown = 'The user has turned this down.'

/** Permission requests of a running Claude: decided by rules, answered from elsewhere, or left to the user. */
export class Requests {
  readonly #options: RequestsOptions
  readonly #open = new OpenRequests()

  constructor(options: RequestsOptions) {
    this.#options = options
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
        this.#settle(this.#open.matching(event), 'allow', 'user')
        return false
      case 'Stop':
      case 'StopFailure':
      case 'UserPromptSubmit':
      case 'SubagentStop':
        this.#settle(this.#open.ofAgent(event.agentId), 'deny', 'user')
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
    const known = this.#open.all.filter(({ atMs }) => atMs < updatedAtMs)
    if (status === 'waiting') for (const request of known) request.isShown = true
    else
      this.#settle(
        known.filter(({ isShown }) => isShown),
        status === 'busy' ? 'allow' : 'deny',
        'user',
      )
  }

  /** false: it is not open any more, or only its dialog can answer it. */
  answer(id: number, given: GivenAnswer): boolean {
    const request = this.#open.all.find(open => open.id === id)
    if (!request?.channel) return false
    const reply = given.allow ? allowReply({ mode: given.mode }) : denyReply(given.message ?? turnedDown)
    const isTaken = this.#reply(request, reply, given.allow ? 'allow' : 'deny', 'answer')
    if (isTaken) this.#announceAnswer()
    return isTaken
  }

  /** Claude is going: nobody will answer any more. */
  end(): void {
    this.#settle(this.#open.all, 'ask', 'timeout')
  }

  #channel(hook: string): AskChannel | null {
    return /^\d+$/.test(hook) ? AskChannel.open(join(this.#options.asksDirectory, hook)) : null
  }

  #ask(event: HookEvent, channel: AskChannel | null): boolean {
    const { verdict, rule, delayMs } = this.#judge(event)
    const request = this.#record(event, channel)
    if (request === null) {
      channel?.release()
      return false
    }
    this.#open.add(request)
    if (verdict.decision === 'deny') return this.#reply(request, denial(verdict), 'deny', 'rule', rule)
    if (verdict.decision === 'allow' && !this.#isHeld()) {
      if (delayMs === 0 || event.agentId !== null) return this.#allow(request, rule)
      request.timer = setTimeout(() => this.#afterDelay(request, rule), delayMs)
    }
    this.#leaveToDialog(request)
    return false
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
    request.timer = null
    if (this.#isHeld()) {
      this.#options.log(`on hold: request ${request.id} is left to the user`)
      this.#options.onHandedOver()
    } else if (this.#allow(request, rule)) this.#announceAnswer()
  }

  #announceAnswer(): void {
    if (!this.hasOpen) this.#options.onAnswered()
  }

  #allow(request: OpenRequest, rule: Rule | null): boolean {
    return this.#reply(request, allowReply(), 'allow', 'rule', rule)
  }

  /** Before a tool that Claude may run unasked: only what a rule denies is stopped. */
  #check(event: HookEvent, channel: AskChannel | null): boolean {
    if (channel === null) return false
    try {
      const { config } = this.#options.settings.read()
      const verdict = denied(this.#requestOf(event), config.approvals.rules)
      const request = verdict && this.#record(event, channel)
      if (!verdict || !request) channel.release()
      else this.#reply(request, refuseToolReply(messageOf(verdict)), 'deny', 'rule', ruleOf(verdict, config))
      return verdict !== null
    } catch (error) {
      this.#options.log(`a tool could not be checked: ${String(error)}`)
      channel.giveUp()
      return false
    }
  }

  #judge(event: HookEvent) {
    const { db, id, settings } = this.#options
    const { config, problem } = settings.read()
    const mission = getMission(db, id)
    // Broken settings allow nothing; the rules they had before still deny.
    const mode = problem === null && mission ? effectiveApprove(mission, config) : 'ask'
    const verdict = decide(this.#requestOf(event), config.approvals.rules, mode)
    return { verdict, rule: ruleOf(verdict, config), delayMs: config.approvals.delay_ms }
  }

  #requestOf({ toolName, toolInput, cwd }: HookEvent) {
    const dir = this.#options.paths.mission(this.#options.id).agent
    return { tool: toolName ?? '', input: toolInput, dir, cwd: cwd ?? dir }
  }

  #isHeld(): boolean {
    return isHeld(this.#options.paths, this.#options.id)
  }

  /** null: it cannot be recorded, and what is not on record is not approved. */
  #record(event: HookEvent, channel: AskChannel | null): OpenRequest | null {
    const { db, id, now, log } = this.#options
    const at = now()
    const request = { mission_id: id, at: at.toISOString(), tool: event.toolName ?? '' }
    try {
      const row = insertRequest(db, { ...request, input: shortened(event.toolInput) })
      return { id: row, event, channel, atMs: at.getTime(), timer: null, isShown: event.agentId === null }
    } catch (error) {
      log(`a request was not recorded: ${String(error)}`)
      return null
    }
  }

  #reply(
    request: OpenRequest,
    reply: Reply,
    decision: ApprovalDecision,
    by: DecidedBy,
    rule: Rule | null = null,
  ): boolean {
    const isTaken = request.channel?.answer(reply) ?? false
    request.channel = null
    if (isTaken) this.#close(request, decision, by, rule)
    return isTaken
  }

  #settle(requests: readonly OpenRequest[], decision: ApprovalDecision, by: DecidedBy): void {
    for (const request of requests) this.#close(request, decision, by, null)
  }

  #close(request: OpenRequest, decision: ApprovalDecision, by: DecidedBy, rule: Rule | null): void {
    const { db, now, log } = this.#options
    this.#open.remove(request)
    try {
      const latencyMs = now().getTime() - request.atMs
      settleRequest(db, request.id, { decision, by, rule, latencyMs })
    } catch (error) {
      log(`an answer was not recorded: ${String(error)}`)
    }
  }
}

/** `agenc mission answer` looks into the store when its bell rings. */
export function answerWord(requests: Requests, word: Word & { agenc: 'answer' }): void {
  requests.answer(word.request, word)
  ringBell(word.bell)
}

function ruleOf({ rule }: Verdict, { approvals }: { approvals: { rules: Rule[] } }): Rule | null {
  return rule === null ? null : (approvals.rules[rule] ?? null)
}

function denial(verdict: Verdict): Reply {
  return denyReply(messageOf(verdict))
}

function messageOf({ message }: Verdict): string {
  return message ?? 'A rule of the user denies this.'
}
