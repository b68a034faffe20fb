import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiFailure, runAgent } from './agent.ts'
import { type AgentContext, Interrupted } from './agent-context.ts'
import { promptBlock } from './hooks.ts'
import { asPeerMessage, type PeerOrigin } from './messaging.ts'
import type { Line } from './saved-conversations.ts'
import { spokenPart } from './script.ts'

interface Prompt {
  prompt: string
  /**
   * `own`: Claude writes it to itself. `queued`: it was sent while Claude was busy, and its hooks have run. `sent`: it came
   * without a keyboard, `peer`: from another session; their hooks run when Claude takes it up.
   */
  kind: 'typed' | 'queued' | 'sent' | 'peer' | 'own'
  /** Only for `peer`. */
  origin?: PeerOrigin
}

export interface ConversationEvents {
  /** Resolves when the SessionStart hooks have finished. No prompt is answered before that. */
  sessionStarted: Promise<unknown>
  /** Puts a prompt that got no answer back into the prompt box, if there is one. */
  returnPrompt?(prompt: string): void
  turnStarted?(): void
  turnEnded?(end: TurnEnd): void
}

/** How a turn ended. */
export type TurnEnd = { text: string } | { failure: string } | { interrupted: true } | { blocked: true }

const idleNoticeMs = 60_000
/** Claude becomes idle for a moment before it takes up the notification of a finished task. */
const restMs = 50

/** The main agent. It answers one prompt at a time and queues the others. */
export class Conversation {
  private readonly context: AgentContext
  private readonly events: ConversationEvents
  private readonly waiting: Prompt[] = []
  private stopper: AbortController | undefined
  private idleNotice: NodeJS.Timeout | undefined
  private draining = false
  private emptied: Promise<void> = Promise.resolve()
  private ended = false

  constructor(context: AgentContext, events: ConversationEvents) {
    this.context = context
    this.events = events
  }

  get running(): boolean {
    return this.stopper !== undefined
  }

  submit(prompt: string): void {
    if (this.draining) void this.queue(prompt)
    else this.enqueue({ prompt, kind: 'typed' })
  }

  /** Takes a prompt that came without a keyboard. */
  send(prompt: string): void {
    this.context.session.transcript.queue('enqueue', prompt)
    this.enqueue({ prompt, kind: 'sent' })
  }

  /** Queues a prompt that Claude writes to itself. */
  notify(prompt: string): void {
    this.enqueue({ prompt, kind: 'own' })
  }

  /** Queues a message of another session. */
  receive(prompt: string, origin: PeerOrigin): void {
    if (this.ended) return
    this.context.session.transcript.queue('enqueue', prompt)
    this.enqueue({ prompt, kind: 'peer', origin })
  }

  /** Takes the queued prompts back, as the user does with the up arrow. Undefined if there are none. */
  takeBackQueue(): string | undefined {
    const queued = this.takeQueued().map(({ prompt }) => prompt)
    for (const prompt of queued) this.context.session.transcript.queue('popAll', prompt)
    return queued.length === 0 ? undefined : queued.join('\n')
  }

  async absorbQueue(): Promise<void> {
    const { transcript } = this.context.session
    const sent = this.takeQueued('sent')
    for (const { prompt } of sent) await this.passesHooks(prompt)
    for (const { prompt, origin } of [...this.takeQueued(), ...sent, ...this.takeQueued('peer')]) {
      transcript.queue('remove', prompt, { reason: 'absorbed_mid_turn' })
      if (origin) await this.passesHooks(prompt)
      transcript.queuedCommand(prompt, origin ? { origin, isMeta: true } : {})
      this.context.show({ kind: 'user', text: spokenPart(prompt) })
    }
  }

  interrupt(): void {
    this.stopper?.abort()
  }

  /** Resolves when no prompt is left. */
  async drained(): Promise<void> {
    while (this.draining) await this.emptied
  }

  end(): void {
    this.ended = true
    clearTimeout(this.idleNotice)
    this.interrupt()
  }

  touched(): void {
    clearTimeout(this.idleNotice)
  }

  /** The hooks of a queued prompt run at once, not when Claude takes it up. */
  private async queue(prompt: string): Promise<void> {
    if (!(await this.passesHooks(prompt))) return
    this.context.session.transcript.queue('enqueue', prompt)
    this.enqueue({ prompt, kind: 'queued' })
  }

  private takeQueued(wanted: Prompt['kind'] = 'queued'): Prompt[] {
    const queued = this.waiting.filter(({ kind }) => kind === wanted)
    for (const one of queued) this.waiting.splice(this.waiting.indexOf(one), 1)
    return queued
  }

  private enqueue(next: Prompt): void {
    if (this.ended) return
    this.waiting.push(next)
    if (!this.draining) this.emptied = this.drain()
  }

  private async drain(): Promise<void> {
    this.draining = true
    for (let next = this.waiting.shift(); next && !this.ended; next = this.waiting.shift()) {
      if (next.kind === 'own') await sleep(restMs)
      this.stopper = new AbortController()
      this.touched()
      this.context.changed()
      await this.answer(next, this.stopper.signal)
      this.stopper = undefined
      this.context.changed()
    }
    this.draining = false
  }

  private async answer(first: Prompt, signal: AbortSignal): Promise<void> {
    const { context } = this
    const { kind } = first
    const isFromQueue = kind === 'queued' || kind === 'peer'
    const own = kind === 'own'
    // All queued prompts become one turn, and the model answers the last one. Those that were sent become one prompt.
    const prompts = isFromQueue ? [first, ...this.takeQueued(kind)] : [first]
    const sent = kind === 'sent' ? this.takeQueued('sent') : []
    const prompt = [prompts.at(-1)!, ...sent].map(each => each.prompt).join('\n')
    if (kind === 'sent') for (const _ of [first, ...sent]) context.session.transcript.queue('dequeue')
    context.session.nextPrompt()
    context.session.planFile(prompt)
    let silent = true
    const watched: AgentContext = {
      ...context,
      show: entry => {
        silent = false
        return context.show(entry)
      },
    }
    if (!own) for (const each of prompts) context.show({ kind: 'user', text: spokenPart(each.prompt) })
    try {
      if (isFromQueue) await this.dequeue(prompts)
      await this.events.sessionStarted
      this.events.turnStarted?.()
      const isAccepted = isFromQueue || (await this.accepted(prompt, signal))
      const said = kind === 'peer' ? asPeerMessage(prompt) : prompt
      const end = isAccepted && (await this.finish(watched, said, own, signal))
      this.events.turnEnded?.(end || { blocked: true })
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error
      if (silent && kind === 'typed' && this.events.returnPrompt) this.events.returnPrompt(prompt)
      else this.noteInterruption()
      this.events.turnEnded?.({ interrupted: true })
    }
  }

  private async accepted(prompt: string, signal: AbortSignal): Promise<boolean> {
    const passes = await this.passesHooks(prompt, signal)
    if (signal.aborted) throw new Interrupted()
    if (passes) this.record(prompt)
    return passes
  }

  private async dequeue(prompts: readonly Prompt[]): Promise<void> {
    const { transcript } = this.context.session
    for (const _ of prompts) transcript.queue('dequeue')
    for (const { prompt, origin } of prompts) {
      if (origin) await this.passesHooks(prompt)
      this.record(origin ? asPeerMessage(prompt) : prompt, origin && { origin, isMeta: true })
    }
  }

  private record(prompt: string, more: Line = {}): void {
    const { session } = this.context
    session.transcript.user(prompt, { promptId: session.promptId, permissionMode: session.mode, ...more })
  }

  private async passesHooks(prompt: string, signal?: AbortSignal): Promise<boolean> {
    const { session } = this.context
    await this.events.sessionStarted
    const reason = promptBlock(
      await this.context.fire('UserPromptSubmit', { prompt, ...session.titleField() }, { signal }),
    )
    if (reason === undefined || signal?.aborted) return true
    this.context.show({ kind: 'note', text: `UserPromptSubmit operation blocked by hook:\n${reason}` })
    this.events.returnPrompt?.(prompt)
    return false
  }

  private async finish(
    context: AgentContext,
    prompt: string,
    own: boolean,
    signal: AbortSignal,
  ): Promise<TurnEnd> {
    const { session, tasks } = context
    const script = own ? '[[text Done.]]' : prompt
    const last = await runAgent({ context, signal, transcript: session.transcript }, script)
    if ('failure' in last) return this.failed(last.failure)
    session.transcript.lastPrompt(prompt)
    const state = { background_tasks: tasks.list(), session_crons: [] }
    await context.fire(
      'Stop',
      { stop_hook_active: false, last_assistant_message: last.text, ...state },
      { signal },
    )
    this.idleNotice = setTimeout(() => this.remind(), idleNoticeMs)
    this.idleNotice.unref()
    return { text: last.text }
  }

  /** Claude does not wait for StopFailure hooks: it is idle while they run. */
  private failed(failure: ApiFailure): TurnEnd {
    const message = failureText(failure)
    this.context.show({ kind: 'assistant', text: message })
    this.context.session.transcript.apiError(message, failureKind(failure), failure)
    void this.context.fire('StopFailure', { error: failureKind(failure), last_assistant_message: message })
    return { failure: message }
  }

  /** No hook runs on an interruption, so a program that relies on hooks alone still considers Claude busy. */
  private noteInterruption(): void {
    this.context.session.transcript.user('[Request interrupted by user]')
    this.context.show({ kind: 'note', text: 'Interrupted · What should Claude do instead?' })
  }

  private remind(): void {
    const notice = { message: 'Claude is waiting for your input', notification_type: 'idle_prompt' }
    void this.context.fire('Notification', notice, { subject: 'idle_prompt' })
  }
}

/** The text that Claude shows in place of an answer. */
function failureText({ status, message, resetsAt }: ApiFailure): string {
  if (resetsAt !== undefined) return `You've hit your 5-hour limit · resets ${clockTime(resetsAt)}`
  if (status === 401 || status === 403) return `Please run /login · API Error: ${status} ${message}`
  if (status === 429) return `API Error: Request rejected (429) · ${message}`
  return `API Error: ${status} ${message}`
}

/** Such as `8:47pm (UTC)`, or `9pm (UTC)` for a full hour. */
function clockTime(seconds: number): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const time = new Date(seconds * 1000)
  const minute = time.getMinutes() === 0 ? {} : ({ minute: '2-digit' } as const)
  const words = time.toLocaleTimeString('en-US', { hour: 'numeric', ...minute, hour12: true })
  return `${words.replace(/\s/g, '').toLowerCase()} (${timeZone})`
}

/** The value of `error` in the StopFailure event. */
function failureKind({ status }: ApiFailure): string {
  if (status === 401 || status === 403) return 'authentication_failed'
  if (status === 429) return 'rate_limit'
  return status >= 500 ? 'server_error' : 'unknown'
}
