import { setTimeout as sleep } from 'node:timers/promises'
import type { Inbox, Receipt, SentMessage } from '../claude/agent.ts'
import type { Handover } from './type-message.ts'

export interface PeerDeliveryOptions {
  inbox: Inbox
  /** The id that the transcript will have. */
  id: string
  text: string
  /** The agent has nothing else to do, so it will take the message at once. */
  isIdle: boolean
  /** What the transcript says about the message. Null if nothing. */
  inTranscript: () => Handover | null
  /** Called for each receipt that comes after the handover. */
  onReceipt: (handover: Handover) => void
}

/** The agent reports nothing when it queues a message: only its transcript has it, up to a second or two later. */
const looksMs = [100, 150, 250, 500, 1_000, 2_000, 2_000]
/** Until then, an idle agent that has queued the message is expected to report that it takes it. */
const idleMs = 1_500

const outcomes: Readonly<Record<Receipt, Handover>> = {
  held: { status: 'queued', reason: 'Claude holds it until its user allows it in its window' },
  released: { status: 'queued', reason: null },
  declined: { status: 'not_taken', reason: 'its user declined it' },
  refused: {
    status: 'not_taken',
    reason: "Claude's settings refuse messages of other agents (crossSessionInbound)",
  },
  dropped: { status: 'not_taken', reason: 'Claude dropped it' },
  // Claude has ended, so the message is kept for the next one.
  expired: { status: 'queued', reason: null },
}

/** Hands one message to an agent's inbox, and finds out what became of it. */
export class PeerDelivery {
  readonly #options: PeerDeliveryOptions
  readonly #sent: SentMessage
  readonly #settled: Promise<Handover>
  #settle: (handover: Handover) => void = () => {}
  #isOver = false

  constructor(options: PeerDeliveryOptions) {
    this.#options = options
    this.#settled = new Promise(resolve => (this.#settle = resolve))
    this.#sent = options.inbox.send(options, receipt => {
      if (this.#isOver) options.onReceipt(outcomes[receipt])
      else this.#settle(outcomes[receipt])
    })
  }

  /** Resolves to null if the agent is gone, so that nothing was sent. */
  async deliver(): Promise<Handover | null> {
    const handover = (await this.#sent.isSent) ? await this.#untilKnown() : null
    this.#isOver = true
    return handover
  }

  /** The agent has reported that it takes the message. */
  seeTaken(): void {
    this.#settle({ status: 'taken', reason: null })
  }

  close(): void {
    this.#sent.close()
  }

  async #untilKnown(): Promise<Handover> {
    const { isIdle, inTranscript } = this.#options
    const mayBeQueued = performance.now() + (isIdle ? idleMs : 0)
    for (const ms of looksMs) {
      const told = await this.#settledWithin(ms)
      if (told) return told
      const written = inTranscript()
      if (written && (written.status !== 'queued' || performance.now() >= mayBeQueued)) return written
    }
    return { status: 'unconfirmed', reason: 'Claude has not confirmed it' }
  }

  async #settledWithin(ms: number): Promise<Handover | null> {
    const patience = new AbortController()
    const tooLate = sleep(ms, null, { signal: patience.signal, ref: false }).catch(() => null)
    const handover = await Promise.race([this.#settled, tooLate])
    patience.abort()
    return handover
  }
}
