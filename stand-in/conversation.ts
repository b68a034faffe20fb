import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiFailure, runAgent } from './agent.ts'
import { type AgentContext, Interrupted } from './agent-context.ts'
import { blockedBy } from './hooks.ts'
import { spokenPart } from './script.ts'

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
  private readonly waiting: { prompt: string; own: boolean }[] = []
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
    this.enqueue({ prompt, own: false })
  }

  /** Queues a prompt that Claude writes to itself. */
  notify(prompt: string): void {
    this.enqueue({ prompt, own: true })
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

  private enqueue(next: { prompt: string; own: boolean }): void {
    if (this.ended) return
    this.waiting.push(next)
    if (!this.draining) this.emptied = this.drain()
  }

  private async drain(): Promise<void> {
    this.draining = true
    for (let next = this.waiting.shift(); next && !this.ended; next = this.waiting.shift()) {
      if (next.own) await sleep(restMs)
      this.stopper = new AbortController()
      this.touched()
      this.context.changed()
      await this.answer(next, this.stopper.signal)
      this.stopper = undefined
      this.context.changed()
    }
    this.draining = false
  }

  private async answer(
    { prompt, own }: { prompt: string; own: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const { context } = this
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
    if (!own) context.show({ kind: 'user', text: spokenPart(prompt) })
    try {
      const end = (await this.accepted(prompt, signal)) && (await this.finish(watched, prompt, own, signal))
      this.events.turnEnded?.(end || { blocked: true })
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error
      if (silent && !own && this.events.returnPrompt) this.events.returnPrompt(prompt)
      else this.noteInterruption()
      this.events.turnEnded?.({ interrupted: true })
    }
  }

  private async accepted(prompt: string, signal: AbortSignal): Promise<boolean> {
    const { session } = this.context
    await this.events.sessionStarted
    const blocked = blockedBy(
      await this.context.fire('UserPromptSubmit', { prompt, ...session.titleField() }, { signal }),
    )
    if (signal.aborted) throw new Interrupted()
    if (!blocked) {
      this.events.turnStarted?.()
      session.transcript.user(prompt, { promptId: session.promptId, permissionMode: session.mode })
      return true
    }
    const reason = `[${blocked.command}]: ${blocked.stderr.trimEnd()}`
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
    this.context.session.transcript.assistant([{ type: 'text', text: message }], 'end_turn')
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
function failureText({ status, message }: ApiFailure): string {
  if (status === 401 || status === 403) return `Please run /login · API Error: ${status} ${message}`
  if (status === 429) return `API Error: Request rejected (429) · ${message}`
  return `API Error: ${status} ${message}`
}

/** The value of `error` in the StopFailure event. */
function failureKind({ status }: ApiFailure): string {
  if (status === 401 || status === 403) return 'authentication_failed'
  if (status === 429) return 'rate_limit'
  return status >= 500 ? 'server_error' : 'unknown'
}
