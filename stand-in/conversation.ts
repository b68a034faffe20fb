import { setTimeout as sleep } from 'node:timers/promises'
import { answerScript } from './agent.ts'
import { blockedBy } from './hooks.ts'
import { spokenPart } from './script.ts'
import { Interrupted, type Stage } from './stage.ts'

export interface ConversationEvents {
  /** The hooks of SessionStart have the first word. */
  sessionStarted: Promise<unknown>
  /** A prompt that came to nothing goes back to where it was typed. */
  returnPrompt(prompt: string): void
}

const idleNoticeMs = 60_000
/** Claude comes to rest before it hears of a task that ended. */
const restMs = 50

/** The main agent: one prompt at a time, the others wait in line. */
export class Conversation {
  private readonly stage: Stage
  private readonly events: ConversationEvents
  private readonly waiting: { prompt: string; own: boolean }[] = []
  private stopper: AbortController | undefined
  private idleNotice: NodeJS.Timeout | undefined
  private draining = false
  private ended = false

  constructor(stage: Stage, events: ConversationEvents) {
    this.stage = stage
    this.events = events
  }

  get running(): boolean {
    return this.stopper !== undefined
  }

  submit(prompt: string): void {
    this.line({ prompt, own: false })
  }

  /** News for Claude itself rather than something the user said. */
  notify(prompt: string): void {
    this.line({ prompt, own: true })
  }

  interrupt(): void {
    this.stopper?.abort()
  }

  end(): void {
    this.ended = true
    clearTimeout(this.idleNotice)
    this.interrupt()
  }

  touched(): void {
    clearTimeout(this.idleNotice)
  }

  private line(next: { prompt: string; own: boolean }): void {
    if (this.ended) return
    this.waiting.push(next)
    if (!this.draining) void this.drain()
  }

  private async drain(): Promise<void> {
    this.draining = true
    for (let next = this.waiting.shift(); next && !this.ended; next = this.waiting.shift()) {
      if (next.own) await sleep(restMs)
      this.stopper = new AbortController()
      this.touched()
      this.stage.changed()
      await this.answer(next, this.stopper.signal)
      this.stopper = undefined
      this.stage.changed()
    }
    this.draining = false
  }

  private async answer(
    { prompt, own }: { prompt: string; own: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const { stage } = this
    stage.session.nextPrompt()
    stage.session.planFile(prompt)
    let silent = true
    const watched: Stage = {
      ...stage,
      show: entry => {
        silent = false
        return stage.show(entry)
      },
    }
    if (!own) stage.show({ kind: 'user', text: spokenPart(prompt) })
    try {
      if (await this.accepted(prompt, signal)) await this.finish(watched, prompt, own, signal)
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error
      if (silent && !own) this.events.returnPrompt(prompt)
      else this.noteInterruption()
    }
  }

  private async accepted(prompt: string, signal: AbortSignal): Promise<boolean> {
    const { session } = this.stage
    await this.events.sessionStarted
    const blocked = blockedBy(
      await this.stage.fire('UserPromptSubmit', { prompt, ...session.titleField() }, { signal }),
    )
    if (signal.aborted) throw new Interrupted()
    if (!blocked) {
      session.transcript.user(prompt, { promptId: session.promptId, permissionMode: session.mode })
      return true
    }
    const reason = `[${blocked.command}]: ${blocked.stderr.trimEnd()}`
    this.stage.show({ kind: 'note', text: `UserPromptSubmit operation blocked by hook:\n${reason}` })
    this.events.returnPrompt(prompt)
    return false
  }

  private async finish(stage: Stage, prompt: string, own: boolean, signal: AbortSignal): Promise<void> {
    const { session, tasks } = stage
    const script = own ? '[[text Done.]]' : prompt
    const last = await answerScript({ stage, signal, transcript: session.transcript }, script)
    if ('failure' in last) return this.failed(last.failure, signal)
    session.transcript.lastPrompt(prompt)
    const state = { background_tasks: tasks.list(), session_crons: [] }
    await stage.fire(
      'Stop',
      { stop_hook_active: false, last_assistant_message: last.text, ...state },
      { signal },
    )
    this.idleNotice = setTimeout(() => this.remind(), idleNoticeMs)
    this.idleNotice.unref()
  }

  private async failed(failure: ApiFailure, signal: AbortSignal): Promise<void> {
    const message = failureText(failure)
    this.stage.show({ kind: 'assistant', text: message })
    this.stage.session.transcript.assistant([{ type: 'text', text: message }], 'end_turn')
    await this.stage.fire(
      'StopFailure',
      { error: failureKind(failure), last_assistant_message: message },
      { signal },
    )
  }

  /** Nothing is told to hooks: who relies on them alone believes Claude is still busy. */
  private noteInterruption(): void {
    this.stage.session.transcript.user('[Request interrupted by user]')
    this.stage.show({ kind: 'note', text: 'Interrupted · What should Claude do instead?' })
  }

  private remind(): void {
    const notice = { message: 'Claude is waiting for your input', notification_type: 'idle_prompt' }
    void this.stage.fire('Notification', notice, { subject: 'idle_prompt' })
  }
}

export interface ApiFailure {
  status: number
  message: string
}

/** What Claude says instead of an answer. */
export function failureText({ status, message }: ApiFailure): string {
  if (status === 401 || status === 403) return `Please run /login · API Error: ${status} ${message}`
  if (status === 429) return `API Error: Request rejected (429) · ${message}`
  return `API Error: ${status} ${message}`
}

/** What StopFailure calls it. */
export function failureKind({ status }: ApiFailure): string {
  if (status === 401 || status === 403) return 'authentication_failed'
  if (status === 429) return 'rate_limit'
  return status >= 500 ? 'server_error' : 'unknown'
}
