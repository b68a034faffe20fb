import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Session } from './claude-session.ts'
import { heldMessageDialog } from './dialog-texts.ts'
import type { Dialogs } from './dialogs.ts'

/** Where a message of another session came from, as the transcript has it. */
export interface PeerOrigin {
  kind: 'peer'
  from: string
  msg_id?: string
}

export interface MessagingOptions {
  env: NodeJS.ProcessEnv
  /** The directory of the status files. */
  sessions: string
  session: Session
  dialogs: Dialogs
  /** The setting `crossSessionInbound`. */
  inbound: string | undefined
  ending: AbortSignal
  receive(text: string, origin: PeerOrigin): void
}

interface Frame {
  type?: unknown
  message?: { content?: unknown }
  session_id?: unknown
  from?: unknown
  msg_id?: unknown
}

type Receipt = Record<string, unknown> & {
  status: 'held' | 'delivered' | 'denied' | 'expired' | 'dropped'
}

const sameTextMs = 30_000
const mostPerSender = 30
const senderWindowMs = 60_000

/** The socket on which Claude takes messages of other sessions. */
export class Messaging {
  readonly path: string
  private readonly options: MessagingOptions
  private readonly keyFile: string
  private readonly server: Server
  private readonly recent: { from: string; text: string; at: number }[] = []

  constructor(options: MessagingOptions) {
    const { env, sessions } = options
    this.options = options
    this.path = join(
      env.XDG_RUNTIME_DIR || env.CLAUDE_CODE_TMPDIR || tmpdir(),
      'cc-socks',
      `${process.pid}.sock`,
    )
    const hash = createHash('sha256').update(this.path).digest('hex')
    this.keyFile = join(sessions, `${process.pid}.${hash}.key`)
    this.server = createServer(socket => {
      let text = ''
      socket.setEncoding('utf8').on('error', () => {})
      socket.on('data', (data: string) => {
        const lines = (text + data).split('\n')
        text = lines.pop()!
        for (const line of lines) this.take(line)
      })
    })
    this.server.on('error', () => {}).unref()
  }

  /** Like Claude, goes on without the socket if it cannot be created. Returns the fields of the status file. */
  async open(): Promise<Record<string, unknown>> {
    try {
      rmSync(this.path, { force: true })
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 })
      await new Promise<void>((resolve, reject) =>
        this.server.once('error', reject).listen(this.path, resolve),
      )
      chmodSync(this.path, 0o600)
      mkdirSync(dirname(this.keyFile), { recursive: true, mode: 0o700 })
      const peerToken = randomBytes(16).toString('hex')
      writeFileSync(this.keyFile, JSON.stringify({ peerToken }), { mode: 0o600 })
    } catch {
      return {}
    }
    return { messagingSocketPath: this.path, peerProtocol: 1 }
  }

  close(): void {
    this.server.close()
    rmSync(this.keyFile, { force: true })
  }

  private take(line: string): void {
    const frame = parse(line)
    const text = frame.message?.content
    if (frame.type !== 'user' || typeof text !== 'string' || text === '') return
    const { session, inbound } = this.options
    if (frame.session_id !== undefined && frame.session_id !== session.sessionId) return
    const origin: PeerOrigin = {
      kind: 'peer',
      from: typeof frame.from === 'string' ? frame.from : 'unknown',
      ...(typeof frame.msg_id === 'string' ? { msg_id: frame.msg_id } : {}),
    }
    if (inbound === 'refuse')
      return void this.receipt(origin, { status: 'expired', status_detail: 'refused' })
    const reason = this.dropReason(origin.from, text)
    if (reason)
      return void this.receipt(origin, { status: 'dropped', drop_reason: reason, dropped_msg_ids: [] })
    if (session.mode === 'bypassPermissions' && inbound !== 'accept') void this.hold(text, origin)
    else this.options.receive(text, origin)
  }

  private dropReason(from: string, text: string): string | undefined {
    const now = Date.now()
    const ofSender = this.recent.filter(one => one.from === from && now - one.at < senderWindowMs)
    if (ofSender.some(one => one.text === text && now - one.at < sameTextMs)) return 'duplicate'
    if (ofSender.length >= mostPerSender) return 'rate-limited'
    this.recent.push({ from, text, at: now })
    return undefined
  }

  private async hold(text: string, origin: PeerOrigin): Promise<void> {
    const { dialogs, ending, receive } = this.options
    this.receipt(origin, { status: 'held' })
    const answer = await dialogs.ask(heldMessageDialog(origin.from, text), ending)
    if (answer === undefined) return void this.receipt(origin, { status: 'expired' })
    const isAllowed = answer !== 'cancelled' && answer.chosen
    this.receipt(origin, { status: isAllowed ? 'delivered' : 'denied' })
    if (isAllowed) receive(text, origin)
  }

  /** Receipts go only to sockets beside this one. */
  private receipt({ from, msg_id }: PeerOrigin, receipt: Receipt): void {
    const path = from.replace(/^uds:/, '')
    if (!from.startsWith('uds:') || !path.endsWith('.sock') || dirname(path) !== dirname(this.path)) return
    const frame = {
      type: 'control',
      action: 'peer_message_status',
      ...receipt,
      from: `uds:${this.path}`,
      orig_msg_id: msg_id,
      msgV: 1,
      msg_id: randomUUID(),
    }
    const socket = connect(path, () => socket.end(`${JSON.stringify(frame)}\n`))
    socket.on('error', () => {})
  }
}

function parse(line: string): Frame {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** What the model reads instead of the bare message. */
export function asPeerMessage(text: string): string {
  return `Another Claude session sent a message:\n${text}\n\nThis came from another Claude session — not typed by your user, but very likely working on their behalf.`
}
