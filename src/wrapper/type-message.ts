import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ReplyChannel, Report } from '../claude/agent-report.ts'
import { asReported, promptKeys } from '../claude/typed-prompt.ts'
import type { MessageStatus } from '../db/messages.ts'
import { removeFile } from '../io/files.ts'
import { bounded, cleanText } from '../io/text.ts'
import type { Keyboard } from '../surface/surface.ts'

/** What became of a message that was handed to Claude. */
export interface Handover {
  status: Extract<MessageStatus, 'taken' | 'queued' | 'not_taken' | 'unconfirmed'>
  reason: string | null
}

export interface TypingOptions {
  text: string
  isCommand: boolean
  keyboard: Keyboard
  /** While this file exists, Claude's hook asks before it takes a prompt. */
  gate: string
  isBusy: boolean
  hasSubmitKeys: boolean
  /** Called at once when Claude reports that it takes the message in a new turn. */
  onTaken: () => void
  /** What the transcript says about the message. Null if nothing. */
  inTranscript: () => Handover | null
}

/** Claude needs a moment to process a paste before it can be submitted. */
const afterPasteMs = 150
/** How long Claude may take to report the prompt after each press. */
const reportMs = 3_000
/** How long a second press may still submit the draft that came back after the first one. */
const secondPressMs = 2_000

/**
 * Types one message into Claude's prompt box and submits it. The user may have a draft there: it is put aside, and comes
 * back by itself. A hook reports what Claude is about to take. A prompt that has more than the message is sent back to
 * the box. Any other prompt is the user's own, and passes.
 */
export class TypedMessage {
  /** Resolves when the gate is closed, so that the next message may be typed. */
  readonly closed: Promise<void>
  readonly #options: TypingOptions
  readonly #expected: string
  readonly #settled: Promise<Handover>
  #settle: (handover: Handover) => void = () => {}
  #close: () => void = () => {}
  #isOver = false
  #wasBusy: boolean
  #presses = 0
  #isAbandoned = false

  constructor(options: TypingOptions) {
    this.#options = options
    this.#expected = asReported(options.text)
    this.#wasBusy = options.isBusy
    this.#settled = new Promise(resolve => (this.#settle = resolve))
    this.closed = new Promise(resolve => (this.#close = resolve))
  }

  async type(): Promise<Handover> {
    writeFileSync(this.#options.gate, '', { mode: 0o600 })
    const handover = await this.#type().catch((error: Error) => unconfirmed(error.message))
    this.#isOver = true
    const mayPressDraft = this.#presses > 1 && handover.status !== 'unconfirmed'
    void sleep(mayPressDraft ? secondPressMs : 0).then(() => {
      removeFile(this.#options.gate)
      this.#close()
    })
    return handover
  }

  async #type(): Promise<Handover> {
    const { keyboard, text, isCommand, inTranscript, hasSubmitKeys } = this.#options
    if (!keyboard.press(promptKeys.stash) || !keyboard.paste(text)) return noAnswer()
    await sleep(afterPasteMs)
    // A command may open a dialog or take long, and is reported late or never.
    const presses = hasSubmitKeys && !isCommand ? 2 : 1
    while (this.#presses < presses) {
      if (this.#isAbandoned) return unconfirmed('Claude has ended')
      this.#presses++
      if (!keyboard.press(hasSubmitKeys ? promptKeys.submit : promptKeys.plainSubmit)) return noAnswer()
      const handover = (await this.#reportedWithin(reportMs)) ?? inTranscript()
      if (handover) return handover
    }
    return unconfirmed(
      isCommand
        ? 'Claude does not report every command'
        : 'Claude did not report it. A dialog or another view may have been open, or the text may be in its prompt box',
    )
  }

  async #reportedWithin(ms: number): Promise<Handover | null> {
    const patience = new AbortController()
    const tooLate = sleep(ms, null, { signal: patience.signal }).catch(() => null)
    const handover = await Promise.race([this.#settled, tooLate])
    patience.abort()
    return handover
  }

  /** Call it when Claude has ended: no further key is pressed, because another program may get it. */
  abandon(): void {
    this.#isAbandoned = true
    this.#settle(unconfirmed('Claude has ended'))
  }

  /** Returns true if Claude was told not to take this prompt. */
  hear(report: Report, channel: ReplyChannel | null): boolean {
    if (report.agentId !== null) return false
    // `/clear` and its like open another conversation.
    if (this.#options.isCommand && report.kind === 'opened') this.#take()
    if (report.kind !== 'prompt-taken' || report.prompt === null) return false
    const prompt = asReported(report.prompt)
    if (this.#isOver) return this.#refuseDraft(channel)
    if (prompt === this.#expected) {
      this.#take()
      return false
    }
    if (!prompt.includes(this.#expected)) {
      if (this.#refuseDraft(channel)) return true
      // The user was faster, so this message goes into Claude's queue.
      this.#wasBusy = true
      return false
    }
    const other = bounded(cleanText(prompt.replace(this.#expected, ' ')), 200)
    const isRefused =
      channel?.deny(
        'agenc was about to send a message, and found other text in the box. Nothing was sent.',
      ) ?? false
    this.#settle(
      isRefused
        ? {
            status: 'not_taken',
            reason: `its prompt box has other text, and now also the message: ${JSON.stringify(other)}`,
          }
        : unconfirmed(`it was sent together with other text: ${JSON.stringify(other)}`),
    )
    return isRefused
  }

  #take(): void {
    const reason = this.#options.hasSubmitKeys ? null : lessCertain
    if (!this.#wasBusy) this.#options.onTaken()
    this.#isOver = true
    this.#settle({ status: this.#wasBusy ? 'queued' : 'taken', reason })
  }

  /**
   * After a second press, another prompt is the draft that came back when the first press worked after all. The hooks of
   * both run at the same time, so it may be heard before the message.
   */
  #refuseDraft(channel: ReplyChannel | null): boolean {
    if (this.#presses < 2) return false
    this.#presses = 0
    return channel?.deny('agenc pressed Enter here, not you. Press Enter to send this.') ?? false
  }
}

const lessCertain =
  'less certain: this older Claude has no safe way to submit, so it was sent with a plain Enter'

function unconfirmed(reason: string): Handover {
  return { status: 'unconfirmed', reason }
}

function noAnswer(): Handover {
  return unconfirmed('tmux did not answer')
}
