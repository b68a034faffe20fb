import { existsSync } from 'node:fs'
import type { DirectLine } from '../claude/agent.ts'
import type { ReplyChannel, Report } from '../claude/agent-report.ts'
import { claudeLocations } from '../claude/claude-locations.ts'
import { type DeliveredPrompt, deliveredPrompts } from '../claude/delivered-prompts.ts'
import { findTranscript, lastMessageIn, transcriptBytes } from '../claude/transcript.ts'
import { asReported, promptKeys } from '../claude/typed-prompt.ts'
import {
  type Message,
  type MessageChange,
  type MessageStatus,
  openMessages,
  type SentAs,
} from '../db/messages.ts'
import { removeFile } from '../io/files.ts'
import type { ClaudeState } from './claude-state.ts'
import type { Requests } from './permission-requests.ts'
import type { Run } from './run-mission.ts'
import { type Handover, TypedMessage } from './type-message.ts'

/** The Claude that runs now, as far as messages need it. */
export interface Recipient {
  /** Null if it can only be spoken to through its surface. */
  line: DirectLine | null
  hasSubmitKeys: boolean
}

/** Why a message cannot be handed over now. */
interface Obstacle {
  reason: string
  /** It is about to go away by itself. */
  isBrief?: boolean
}

/** Claude writes its transcript up to a second after it has reported something. */
const transcriptMs = 1_200
/** How long a Claude without a terminal may take to report a prompt. */
const lineMs = 10_000

/**
 * Delivers the messages in the store to the running Claude, in their order, and stores what became of each. Before the
 * first key it stores that the message is handed over, and where the transcript ends: after a crash, the transcript
 * tells whether Claude has it.
 */
export class Outbox {
  readonly #run: Run
  readonly #claude: () => ClaudeState
  readonly #requests: Pick<Requests, 'hasOpen' | 'isHandled'>
  #recipient: Recipient | null = null
  #isDelivering = false
  #typed: TypedMessage | null = null
  /** A message on a direct line that Claude has not reported yet. */
  #spoken: { id: number; text: string; settle: () => void } | null = null
  /** Messages that Claude took in a turn that has not ended. */
  readonly #unanswered = new Set<number>()
  /** Ended turns that are not stored yet: the state after a turn is stored first. */
  #answers: { ids: number[]; answer: string | null }[] = []
  #handing: number | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(run: Run, claude: () => ClaudeState, requests: Pick<Requests, 'hasOpen' | 'isHandled'>) {
    this.#run = run
    this.#claude = claude
    this.#requests = requests
  }

  /** Call it when a Claude has been started. */
  begin(recipient: Recipient): void {
    this.#recipient = recipient
    this.look()
  }

  /**
   * Call it when no Claude runs, before another one is started too. Messages that Claude had in its queue, or that were
   * on their way, are kept for the next one, unless the transcript has them.
   */
  end(): void {
    this.#recipient = null
    this.#typed = null
    this.#spoken = null
    this.#handing = null
    this.#unanswered.clear()
    if (this.#timer) clearTimeout(this.#timer)
    removeFile(this.#paths.gate)
    this.#try(() => {
      this.#storeAnswers()
      this.#settleFromTranscript()
      for (const message of this.#open()) {
        const { id, status, may_wait } = message
        if (status === 'kept' && may_wait === 1) continue
        const reason = 'Claude was not running'
        const isKept = status === 'queued' || may_wait === 1
        this.#change(
          id,
          [status],
          isKept ? { status: 'kept', may_wait: 1, reason } : { status: 'not_taken', reason },
        )
      }
    })
  }

  /** Call it when a message was stored, and whenever Claude's state may have changed. */
  readonly look = (): void => {
    this.#try(() => {
      this.#storeAnswers()
      this.#settleFromTranscript()
      const open = this.#open()
      if (open.some(({ status }) => status === 'queued') || this.#unanswered.size > 0) this.#lookLater()
      if (!this.#isDelivering && open.some(({ status }) => status === 'kept')) void this.#deliver()
    })
  }

  /** Takes each report before it is stored. Returns true if Claude was told not to take that prompt. */
  hear(report: Report, channel: ReplyChannel | null): boolean {
    if (report.kind === 'turn-ended' && report.agentId === null) this.#answered(report.lastMessage)
    const isRefused = this.#typed?.hear(report, channel) ?? false
    if (!isRefused && report.kind === 'prompt-taken' && report.agentId === null)
      this.#hearSpoken(report.prompt)
    return isRefused
  }

  /** Ends Claude's turn. Does nothing unless Claude itself says that it is busy: a dialog would take Esc for an answer. */
  interrupt(): void {
    const { state, ownStatus } = this.#claude()
    if (this.#recipient === null || this.#isDelivering) return
    if (this.#recipient.line !== null) this.#recipient.line.interrupt()
    else if (state === 'busy' && ownStatus === 'busy' && !this.#requests.hasOpen)
      this.#run.surface.keyboard?.press(promptKeys.interrupt)
  }

  async #deliver(): Promise<void> {
    this.#isDelivering = true
    try {
      for (let message = this.#next(); message !== null; message = this.#next()) await this.#hand(message)
    } catch (error) {
      this.#run.log(`a message was not delivered: ${String(error)}`)
    } finally {
      this.#isDelivering = false
    }
  }

  /** The first message that can be handed over. Those that cannot, and may not wait, are refused here. */
  #next(): Message | null {
    // No message overtakes another one that takes the same way.
    const blocked = new Map<SentAs, Obstacle>()
    for (const message of this.#open().filter(({ status }) => status === 'kept')) {
      const obstacle = blocked.get(message.sent_as) ?? this.#obstacle(message)
      if (obstacle === null) return message
      if (obstacle.isBrief) return null
      if (message.may_wait === 1) blocked.set(message.sent_as, obstacle)
      const { reason } = obstacle
      if (message.may_wait === 0) this.#change(message.id, ['kept'], { status: 'not_taken', reason })
      else if (message.reason !== reason) this.#change(message.id, ['kept'], { reason })
    }
    return null
  }

  #obstacle({ sent_as, is_command }: Message): Obstacle | null {
    const { state, ownStatus, hasOpened, waitingFor } = this.#claude()
    const recipient = this.#recipient
    if (recipient === null) return { reason: 'it is still starting' }
    if (existsSync(this.#paths.prompt)) return { reason: 'it has not taken its first prompt yet' }
    if (sent_as === 'agent')
      return { reason: 'this Claude takes no messages of other agents; send it with --as user' }
    if (is_command === 1 && state !== 'idle') return { reason: 'it is not idle, and only then runs commands' }
    // Claude says nothing on a direct line before its first message.
    if (recipient.line !== null) return null
    if (!hasOpened || state === 'starting') return { reason: 'it is still starting' }
    if (this.#run.surface.keyboard === null)
      return {
        reason:
          'it runs in a terminal outside the agenc session, where agenc cannot type; use --as agent, or type it there',
      }
    if (this.#requests.isHandled) return { reason: 'a rule is about to answer it', isBrief: true }
    if (state === 'waiting' || ownStatus === 'waiting' || this.#requests.hasOpen)
      return { reason: `it waits for an answer (${waitingFor ?? 'permission'})` }
    if (ownStatus === 'unknown') return { reason: 'it is in a state that agenc does not know' }
    if (recipient.hasSubmitKeys && ownStatus === null) return { reason: 'it is still starting' }
    if (!recipient.hasSubmitKeys && state !== 'idle')
      return { reason: 'it is busy, and this older Claude takes messages only while it is idle' }
    return null
  }

  async #hand(message: Message): Promise<void> {
    const { id } = message
    const { sessionId } = this.#claude()
    const recipient = this.#recipient!
    const from_byte = transcriptBytes(this.#transcript(sessionId) ?? '')
    const isHanded = this.#change(id, ['kept'], {
      status: 'handed',
      reason: null,
      session_id: sessionId,
      from_byte,
    })
    if (!isHanded) return
    this.#handing = id
    const handover = await (recipient.line === null
      ? this.#type(recipient, { ...message, session_id: sessionId, from_byte })
      : this.#speak(recipient.line, message)
    ).finally(() => (this.#handing = null))
    // Claude has ended in the meantime, and the message was settled.
    if (this.#recipient !== recipient) return
    if (handover.status === 'taken') this.#change(id, ['handed', 'unconfirmed'], handover)
    else this.#change(id, ['handed'], handover)
    await this.#typed?.closed
    this.#typed = null
    this.look()
  }

  #type({ hasSubmitKeys }: Recipient, message: Message): Promise<Handover> {
    this.#typed = new TypedMessage({
      text: message.text,
      isCommand: message.is_command === 1,
      keyboard: this.#run.surface.keyboard!,
      gate: this.#paths.gate,
      isBusy: this.#claude().state === 'busy',
      hasSubmitKeys,
      onTaken: () => void this.#unanswered.add(message.id),
      inTranscript: () => {
        const found = this.#find(message, new Set())
        return found && { status: statusFor[found.what], reason: reasonFor(found) }
      },
    })
    return this.#typed.type()
  }

  /** A message on a direct line cannot get lost while Claude lives. While it is busy, it takes it up later. */
  async #speak(line: DirectLine, { text, id }: Message): Promise<Handover> {
    const isBusy = this.#claude().state !== 'idle'
    const reported = new Promise<Handover>(resolve => {
      const settle = () => resolve({ status: 'taken', reason: null })
      this.#spoken = { id, text: asReported(text), settle }
      if (isBusy) resolve({ status: 'queued', reason: null })
      else
        setTimeout(
          () => resolve({ status: 'unconfirmed', reason: 'Claude did not report it' }),
          lineMs,
        ).unref()
    })
    line.submit(text)
    return reported
  }

  #hearSpoken(prompt: string | null): void {
    if (this.#spoken === null || asReported(prompt ?? '') !== this.#spoken.text) return
    if (this.#spoken.id === this.#handing) this.#unanswered.add(this.#spoken.id)
    this.#spoken.settle()
    this.#spoken = null
  }

  /** The turn has ended. Later turns belong to other messages. */
  #answered(answer: string | null): void {
    const answered = [...this.#unanswered]
    if (answered.length === 0) return
    this.#unanswered.clear()
    this.#answers.push({ ids: answered, answer })
  }

  #storeAnswers(): void {
    if (this.#answers.length === 0) return
    const { missions, id: mission } = this.#run
    missions.write(writer => {
      for (const { ids, answer } of this.#answers)
        for (const id of ids) {
          const change = { answer, answered_at: writer.at }
          writer.changeMessage(mission, id, ['handed', 'queued', 'taken'], change, ['answered', { id }])
        }
    })
    this.#answers = []
  }

  #lookLater(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#try(() => {
        this.#settleFromTranscript()
        const { state, lastMessage, transcriptPath } = this.#claude()
        // An interrupted turn is not reported, and a queued message may be found after the end of its turn.
        if (state === 'idle' && this.#unanswered.size > 0)
          this.#answered(lastMessage ?? (transcriptPath === null ? null : lastMessageIn(transcriptPath)))
        this.#storeAnswers()
      })
    }, transcriptMs)
    this.#timer.unref()
  }

  /** Finds out what became of the messages that Claude has in its queue, or had when it ended. */
  #settleFromTranscript(): void {
    const claimed = new Set<number>()
    for (const message of this.#open()) {
      const { id, status } = message
      if (status === 'kept' || id === this.#handing) continue
      const found = this.#find(message, claimed)
      if (found === null || statusFor[found.what] === status) continue
      claimed.add(found.endByte)
      this.#change(id, [status], { status: statusFor[found.what], reason: reasonFor(found) })
      if (found.what === 'taken' || found.what === 'absorbed') this.#unanswered.add(id)
      // A later message with the same words has a line of its own.
      for (const other of this.#open())
        if (other.id > id && other.session_id === message.session_id && asReported(other.text) === found.text)
          this.#change(other.id, [other.status], { from_byte: Math.max(other.from_byte ?? 0, found.endByte) })
    }
  }

  /** The latest news about a message since it was handed over. Lines of other messages are claimed. */
  #find({ text, session_id, from_byte }: Message, claimed: ReadonlySet<number>): DeliveredPrompt | null {
    const transcript = session_id === null ? null : this.#transcript(session_id)
    if (transcript === null) return null
    const expected = asReported(text)
    const found = [...deliveredPrompts(transcript, from_byte ?? 0)].filter(
      ({ text: said, endByte }) => said === expected && !claimed.has(endByte),
    )
    return found.find(({ what }) => what !== 'queued') ?? found[0] ?? null
  }

  #transcript(sessionId: string): string | null {
    return findTranscript(
      claudeLocations(this.#run.context.env).directory,
      sessionId,
      this.#claude().transcriptPath,
    )
  }

  #open(): Message[] {
    return openMessages(this.#run.db, this.#run.id)
  }

  get #paths() {
    return this.#run.context.paths.mission(this.#run.id)
  }

  #change(id: number, from: readonly MessageStatus[], change: MessageChange): boolean {
    const { missions, id: mission } = this.#run
    const { status } = change
    const history = status === undefined ? [] : [['message', { id, status }] as const]
    return missions.write(writer => writer.changeMessage(mission, id, from, change, ...history))
  }

  /** A temporary failure of the store must not end the mission. */
  #try(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#run.log(`messages: ${String(error)}`)
    }
  }
}

const statusFor = {
  taken: 'taken',
  absorbed: 'taken',
  queued: 'queued',
  'taken-back': 'not_taken',
} as const satisfies Record<DeliveredPrompt['what'], Handover['status']>

function reasonFor({ what }: DeliveredPrompt): string | null {
  return what === 'taken-back' ? "the user took it back from Claude's queue" : null
}
