import { existsSync } from 'node:fs'
import type { DirectLine, Inbox } from '../claude/agent.ts'
import type { ReplyChannel, Report } from '../claude/agent-report.ts'
import { claudeLocations } from '../claude/claude-locations.ts'
import { type DeliveredPrompt, deliveredPrompts } from '../claude/delivered-prompts.ts'
import { peerMessageId } from '../claude/peer-socket.ts'
import { isBypass } from '../claude/permission-mode.ts'
import { findTranscript, lastMessageIn, transcriptBytes } from '../claude/transcript.ts'
import { asReported, promptKeys, whyNotSendable } from '../claude/typed-prompt.ts'
import {
  type Message,
  type MessageChange,
  type MessageStatus,
  openMessages,
  type SentAs,
} from '../db/messages.ts'
import { removeFile } from '../io/files.ts'
import { outsideSession } from '../mission/stuck-message.ts'
import type { MissionId } from '../mission-id.ts'
import type { ClaudeState } from './claude-state.ts'
import { PeerDelivery } from './peer-delivery.ts'
import type { Requests } from './permission-requests.ts'
import type { Run } from './run-mission.ts'
import { type Handover, TypedMessage } from './type-message.ts'

/** The Claude that runs now, as far as messages need it. */
export interface Recipient {
  /** Null if it can only be spoken to through its surface. */
  line: DirectLine | null
  /** Where it takes messages of other agents now. Null if it takes none. */
  inbox: () => Inbox | null
  startsInBypass: boolean
  /** Whether the mission that sends a message has enough rights for its words to count as the user's. Null: a person. */
  maySpeakAsUser: (sender: MissionId | null) => boolean
  hasSubmitKeys: boolean
  /** Stores everything that Claude has reported. Returns false if that happens a little later. */
  catchUp: () => boolean
}

/** Why a message cannot be handed over now. */
interface Obstacle {
  reason: string
  /** It is about to go away by itself. */
  isBrief?: boolean
  /** The message waits for it, even if its sender did not ask for that. */
  isWaitedFor?: boolean
  /** It will not go away, so the message must not stand in the way of others. */
  isFinal?: boolean
}

/** How another agent's message reaches Claude: through its inbox, or else as the user's word, for this reason. */
type AgentWay = { inbox: Inbox } | { reason: string }

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
  /** Messages of other agents that Claude has not taken yet. */
  readonly #peers = new Map<number, PeerDelivery>()
  /** Its inbox is closed, as when it ends. */
  #isDeaf = false
  /** Messages that Claude took in a turn that has not ended. */
  readonly #unanswered = new Set<number>()
  /** Ended turns that are not stored yet: the state after a turn is stored first. */
  #answers: { ids: number[]; answer: string | null }[] = []
  #handing: number | null = null
  #isCatchingUp = false
  #timer: NodeJS.Timeout | null = null

  constructor(run: Run, claude: () => ClaudeState, requests: Pick<Requests, 'hasOpen' | 'isHandled'>) {
    this.#run = run
    this.#claude = claude
    this.#requests = requests
  }

  /** Call it when a Claude has been started. */
  begin(recipient: Recipient): void {
    this.#recipient = recipient
    this.#isDeaf = false
    this.look()
  }

  /**
   * Call it when no Claude runs, before another one is started too. Messages that Claude had in its queue, or that were
   * on their way, are kept for the next one, unless the transcript has them.
   */
  end(): void {
    this.#recipient = null
    this.#typed?.abandon()
    this.#typed = null
    this.#spoken = null
    this.#handing = null
    this.#unanswered.clear()
    for (const id of [...this.#peers.keys()]) this.#closePeer(id)
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

  /** Call it whenever Claude's state may have changed. */
  readonly look = (): void => this.#look({ mayCatchUp: true })

  /** Call it when a message was stored, also while reports are being read. */
  readonly lookForNew = (): void => this.#look({ mayCatchUp: false })

  #look(options: { mayCatchUp: boolean }): void {
    this.#try(() => {
      this.#storeAnswers()
      this.#settleFromTranscript(options)
      const open = this.#open()
      if (open.some(({ status }) => status === 'queued') || this.#unanswered.size > 0) this.#lookLater()
      if (!this.#isDelivering && open.some(({ status }) => status === 'kept')) void this.#deliver()
    })
  }

  /** Takes each report before it is stored. Returns true if Claude was told not to take that prompt. */
  hear(report: Report, channel: ReplyChannel | null): boolean {
    if (report.kind === 'turn-ended' && report.agentId === null) this.#answered(report.lastMessage)
    const isPrompt = report.kind === 'prompt-taken' && report.agentId === null
    if (isPrompt && this.#hearPeer(report.prompt)) return false
    const isRefused = this.#typed?.hear(report, channel) ?? false
    if (!isRefused && isPrompt) this.#hearSpoken(report.prompt)
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
      const own = this.#obstacle(message)
      if (own?.isFinal) {
        this.#change(message.id, ['kept'], { status: 'not_taken', reason: own.reason })
        continue
      }
      const obstacle = blocked.get(message.sent_as) ?? own
      if (obstacle === null) return message
      if (obstacle.isBrief) return null
      if (message.may_wait === 1) blocked.set(message.sent_as, obstacle)
      const { reason } = obstacle
      if (message.may_wait === 0 && obstacle.isWaitedFor) {
        blocked.set(message.sent_as, obstacle)
        this.#change(message.id, ['kept'], { may_wait: 1, reason })
      } else if (message.may_wait === 0) this.#change(message.id, ['kept'], { status: 'not_taken', reason })
      else if (message.reason !== reason) this.#change(message.id, ['kept'], { reason })
    }
    return null
  }

  #obstacle(message: Message): Obstacle | null {
    const recipient = this.#recipient
    if (recipient === null) return { reason: 'it is still starting' }
    if (existsSync(this.#paths.prompt)) return { reason: 'it has not taken its first prompt yet' }
    // Either mission may have other rights than when the message was stored.
    if (message.sent_as === 'user' && !recipient.maySpeakAsUser(message.from_id))
      return { reason: 'it has more rights than the mission that sends this', isFinal: true }
    return message.sent_as === 'agent'
      ? this.#agentObstacle(recipient, message)
      : this.#userObstacle(recipient, message)
  }

  /** An inbox takes a message in every state. As the user's word it can go only while nothing else happens. */
  #agentObstacle(recipient: Recipient, message: Message): Obstacle | null {
    const { state, ownStatus, hasOpened } = this.#claude()
    const way = this.#agentWay(recipient)
    if (this.#isDeaf) return { reason: 'it is ending' }
    if ('inbox' in way) return null
    if (!recipient.maySpeakAsUser(message.from_id))
      return {
        reason: `${way.reason}, and the mission that sends this has too few rights for that`,
        isFinal: true,
      }
    const isStarting = !hasOpened || state === 'starting' || (recipient.hasSubmitKeys && ownStatus === null)
    if (recipient.line === null && isStarting) return { reason: 'it is still starting' }
    const problem = whyNotSendable(message.text, false)
    if (problem !== null)
      return { reason: `${way.reason}, and as the user's word ${problem[0]}`, isFinal: true }
    if (recipient.line !== null) return this.#userObstacle(recipient, message)
    const notIdle = state === 'idle' ? null : { reason: 'it is not idle' }
    const obstacle = this.#userObstacle(recipient, message) ?? notIdle
    return obstacle && { ...obstacle, reason: `${way.reason}; ${obstacle.reason}`, isWaitedFor: true }
  }

  /** While Claude asks for no permissions, it would hold the message and ask its user. */
  #agentWay({ inbox, startsInBypass }: Recipient): AgentWay {
    const { mode } = this.#claude()
    if (mode === null ? startsInBypass : isBypass(mode))
      return { reason: 'it asks for no permissions, so it takes only the word of its user' }
    const open = inbox()
    return open === null ? { reason: 'this Claude takes only the word of its user' } : { inbox: open }
  }

  #userObstacle(recipient: Recipient, { is_command }: Message): Obstacle | null {
    const { state, ownStatus, hasOpened, waitingFor } = this.#claude()
    if (is_command === 1 && state !== 'idle') return { reason: 'it is not idle, and only then runs commands' }
    // Claude says nothing on a direct line before its first message.
    if (recipient.line !== null) return null
    if (!hasOpened || state === 'starting') return { reason: 'it is still starting' }
    if (this.#run.surface.keyboard === null) return { reason: outsideSession }
    if (this.#requests.isHandled) return { reason: 'a rule is about to answer it', isBrief: true }
    if (state === 'waiting' || ownStatus === 'waiting' || this.#requests.hasOpen)
      return { reason: `it waits for an answer (${waitingFor ?? 'permission'})` }
    if (ownStatus === 'unknown') return { reason: 'it is in a state that agenc does not know' }
    // It has reported that it is open, and writes its first status at any moment.
    if (recipient.hasSubmitKeys && ownStatus === null)
      return { reason: 'it is still starting', isBrief: true }
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
    const handed = { ...message, session_id: sessionId, from_byte }
    const handover = await this.#give(recipient, handed).finally(() => (this.#handing = null))
    // Claude has ended in the meantime, and the message was settled.
    if (this.#recipient !== recipient) return
    if (handover === null) {
      this.#isDeaf = true
      this.#change(id, ['handed'], { status: 'kept' })
      return
    }
    if (handover.status === 'taken') {
      this.#isUpToDate({ mayCatchUp: true })
      this.#change(id, ['handed', 'unconfirmed'], handover)
    } else this.#change(id, ['handed'], handover)
    await this.#typed?.closed
    this.#typed = null
    this.look()
  }

  /** Resolves to null if Claude is gone, so that nothing was given. */
  async #give(recipient: Recipient, message: Message): Promise<Handover | null> {
    const way = message.sent_as === 'agent' ? this.#agentWay(recipient) : null
    if (way !== null && 'inbox' in way) return this.#tell(way.inbox, message)
    const { line } = recipient
    const handover = await (line === null ? this.#type(recipient, message) : this.#speak(line, message))
    if (way === null || handover.reason !== null) return handover
    return { ...handover, reason: `given as the user's word, because ${way.reason}` }
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

  async #tell(inbox: Inbox, message: Message): Promise<Handover | null> {
    const { id, text } = message
    const peer = new PeerDelivery({
      inbox,
      id: peerMessageId(this.#run.id, id),
      text,
      isIdle: this.#claude().state === 'idle',
      inTranscript: () => {
        const found = this.#find(message, new Set())
        if (found?.what === 'taken' || found?.what === 'absorbed') this.#unanswered.add(id)
        return found && { status: statusFor[found.what], reason: reasonFor(found) }
      },
      onReceipt: later => this.#try(() => this.#change(id, ['queued'], later)),
    })
    this.#peers.set(id, peer)
    return peer.deliver()
  }

  /** Returns whether Claude takes the message of another agent with this prompt. */
  #hearPeer(prompt: string | null): boolean {
    const expected = asReported(prompt ?? '')
    const same = this.#open().filter(({ id, text }) => this.#peers.has(id) && asReported(text) === expected)
    const [first] = same
    // Of several messages with the same words, only the transcript can tell which one it is.
    if (same.length === 1 && first?.id === this.#handing) {
      this.#unanswered.add(first.id)
      this.#peers.get(first.id)!.seeTaken()
    }
    return first !== undefined
  }

  #closePeer(id: number): void {
    this.#peers.get(id)?.close()
    this.#peers.delete(id)
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
  #settleFromTranscript(options = { mayCatchUp: true }): void {
    const claimed = new Set<number>()
    for (const message of this.#open()) {
      const { id, status } = message
      if (status === 'kept' || id === this.#handing) continue
      const found = this.#find(message, claimed)
      if (found === null || statusFor[found.what] === status) continue
      if (found.what === 'taken' && !this.#isUpToDate(options)) continue
      claimed.add(found.endByte)
      const settled = { status: statusFor[found.what], reason: reasonFor(found) }
      if (!this.#change(id, [status], settled)) continue
      if (found.what === 'taken' || found.what === 'absorbed') this.#unanswered.add(id)
      // A later message with the same words has a line of its own.
      for (const other of this.#open())
        if (other.id > id && other.session_id === message.session_id && asReported(other.text) === found.text)
          this.#change(other.id, [other.status], { from_byte: Math.max(other.from_byte ?? 0, found.endByte) })
    }
  }

  /**
   * A message that is taken while Claude is idle belongs to a turn that is over. So the beginning of that turn is stored
   * first: the transcript may have been read before Claude's report.
   */
  #isUpToDate({ mayCatchUp }: { mayCatchUp: boolean }): boolean {
    if (this.#recipient === null || this.#claude().state !== 'idle') return true
    if (!mayCatchUp || this.#isCatchingUp) return false
    this.#isCatchingUp = true
    try {
      return this.#recipient.catchUp()
    } finally {
      this.#isCatchingUp = false
    }
  }

  /** The latest news about a message since it was handed over. Lines of other messages are claimed. */
  #find(message: Message, claimed: ReadonlySet<number>): DeliveredPrompt | null {
    const { id, text, sent_as } = message
    const expected = asReported(text)
    const ownId = sent_as === 'agent' ? peerMessageId(this.#run.id, id) : null
    const isIt = ({ text: said, peerId, endByte }: DeliveredPrompt) =>
      peerId === null ? said === expected && !claimed.has(endByte) : peerId === ownId
    const found = [...this.#promptsSince(message)].filter(isIt)
    return found.find(({ what }) => what !== 'queued') ?? found[0] ?? null
  }

  /** Claude takes its queue along into a conversation that `/clear` opens. */
  *#promptsSince({ session_id, from_byte, at: storedAt }: Message): Generator<DeliveredPrompt> {
    if (session_id === null) return
    const { sessionId } = this.#claude()
    const transcript = this.#transcript(session_id)
    if (transcript !== null) yield* deliveredPrompts(transcript, from_byte ?? 0)
    const other = sessionId === session_id ? null : this.#transcript(sessionId)
    if (other === null) return
    for (const prompt of deliveredPrompts(other, 0)) if ((prompt.at ?? '') >= storedAt) yield prompt
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
    if (status !== undefined && status !== 'handed' && status !== 'queued') this.#closePeer(id)
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
