import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, readFileSync, type Stats } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { dirname, isAbsolute, join } from 'node:path'
import { namesIn, removeFile } from '../io/files.ts'
import { isObject } from '../io/json.ts'
import { randomUuid } from '../io/random.ts'
import type { Inbox, Receipt, SentMessage } from './agent.ts'

/** The system limits the path of a socket: 104 bytes on macOS, 108 on Linux, with the final zero. */
const longestPath = 103
const mostFileBytes = 64 * 1024
const connectMs = 5_000

/**
 * The socket on which a running Claude takes messages of other sessions. Returns null if this Claude has none, or if
 * it is not a socket in a private directory of this user.
 */
export function findInbox(statusFile: string): Inbox | null {
  const { messagingSocketPath: path, peerProtocol } = readObject(statusFile)
  if (peerProtocol !== 1 || typeof path !== 'string' || !isPrivateSocket(path)) return null
  return {
    send: (message, onReceipt) => new PeerMessage(path, tokenFor(statusFile, path), message, onReceipt),
  }
}

function isPrivateSocket(path: string): boolean {
  if (!isAbsolute(path) || !path.endsWith('.sock') || path.includes('\0')) return false
  const directory = statsOf(dirname(path))
  const isPrivate = directory?.isDirectory() && isOwn(directory) && (directory.mode & 0o077) === 0
  const socket = isPrivate ? statsOf(path) : undefined
  return socket !== undefined && isOwn(socket) && socket.isSocket()
}

function isOwn({ uid }: Stats): boolean {
  return uid === process.getuid?.()
}

/** Follows no link. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

/** Returns an empty object if the file is not a small regular file of this user with an object in it. */
function readObject(path: string): Record<string, unknown> {
  const stats = statsOf(path)
  if (!stats?.isFile() || !isOwn(stats) || stats.size > mostFileBytes) return {}
  try {
    const data: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isObject(data) ? data : {}
  } catch {
    return {}
  }
}

/** Claude does not need the token on every system. */
function tokenFor(statusFile: string, socket: string): string | null {
  const hash = createHash('sha256').update(socket).digest('hex')
  const { peerToken } = readObject(statusFile.replace(/\.json$/, `.${hash}.key`))
  return typeof peerToken === 'string' ? peerToken : null
}

/** The id that Claude's transcript has for a message. The same message always has the same one. */
export function peerMessageId(mission: string, message: number): string {
  const hex = createHash('sha256').update(`agenc ${mission} ${message}`).digest('hex')
  const variant = `8${hex.slice(17, 20)}`
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, variant, hex.slice(20, 32)].join('-')
}

/**
 * One message to another Claude. Its sender has an address of its own: Claude drops a text that it has just had from the
 * same sender, and the messages of a sender that sends many. Claude answers only to sockets beside its own.
 */
class PeerMessage implements SentMessage {
  readonly isSent: Promise<boolean>
  readonly #receipts: Server | null

  constructor(
    socket: string,
    token: string | null,
    { id, text }: { id: string; text: string },
    onReceipt: (receipt: Receipt) => void,
  ) {
    const directory = dirname(socket)
    removeLeftSockets(directory)
    const own = join(directory, `agenc-${process.pid}-${randomUuid().slice(0, 8)}.sock`)
    const message = { role: 'user', content: text }
    const lines = [
      ...(token === null ? [] : [{ type: 'auth', token }]),
      { type: 'user', message, priority: 'next', msg_id: id, from: `uds:${own}` },
    ]
    const bytes = lines.map(line => `${JSON.stringify(line)}\n`).join('')
    this.#receipts = Buffer.byteLength(own) > longestPath ? null : listenForReceipts(own, id, onReceipt)
    this.isSent = ready(this.#receipts).then(() => write(socket, bytes))
  }

  close(): void {
    this.#receipts?.close()
  }
}

/** A wrapper that was killed could not remove its sockets. */
function removeLeftSockets(directory: string): void {
  for (const name of namesIn(directory)) {
    const pid = /^agenc-(\d+)-[0-9a-f]{8}\.sock$/.exec(name)?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    try {
      removeFile(join(directory, name))
    } catch {
      // Another wrapper will try again.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Without receipts, the transcript alone tells what became of the message. */
function ready(server: Server | null): Promise<void> {
  return new Promise(resolve => {
    if (server === null || server.listening) return resolve()
    server.once('listening', resolve).once('error', () => resolve())
  })
}

/** Resolves to false if no byte has left this process. */
function write(path: string, bytes: string): Promise<boolean> {
  return new Promise(resolve => {
    let isConnected = false
    const socket = connect(path, () => {
      isConnected = true
      socket.end(bytes)
    })
    // Claude answers nothing here.
    socket.resume().setTimeout(connectMs, () => socket.destroy())
    socket.on('error', () => {}).on('close', () => resolve(isConnected))
    socket.on('finish', () => resolve(true))
  })
}

const mostReceiptBytes = 64 * 1024
const mostConnections = 8

function listenForReceipts(path: string, id: string, onReceipt: (receipt: Receipt) => void): Server {
  const server = createServer(socket => {
    socket.unref()
    readLines(socket, line => {
      const receipt = receiptIn(line, id)
      if (receipt !== null) onReceipt(receipt)
    })
  })
  server.maxConnections = mostConnections
  server.on('error', () => {})
  server.listen(path, () => {
    try {
      chmodSync(path, 0o600)
    } catch {
      // The directory is private.
    }
  })
  return server.unref()
}

/** Any process of this user can write here, so a sender gets neither much room nor much time. */
function readLines(socket: Socket, onLine: (line: string) => void): void {
  let text = ''
  let bytes = 0
  socket.setEncoding('utf8').setTimeout(connectMs, () => socket.destroy())
  socket.on('error', () => {})
  socket.on('data', (data: string) => {
    bytes += Buffer.byteLength(data)
    if (bytes > mostReceiptBytes) return void socket.destroy()
    const lines = (text + data).split('\n')
    text = lines.pop()!
    for (const line of lines) onLine(line)
  })
}

const receipts: Readonly<Record<string, Receipt>> = {
  held: 'held',
  delivered: 'released',
  denied: 'declined',
  refused: 'refused',
  dropped: 'dropped',
  expired: 'expired',
}

function receiptIn(line: string, id: string): Receipt | null {
  let data: unknown
  try {
    data = JSON.parse(line)
  } catch {
    return null
  }
  if (!isObject(data) || data.action !== 'peer_message_status' || typeof data.status !== 'string') return null
  const isAboutIt =
    data.orig_msg_id === id || (Array.isArray(data.dropped_msg_ids) && data.dropped_msg_ids.includes(id))
  if (!isAboutIt || !Object.hasOwn(receipts, data.status)) return null
  return data.status === 'expired' && data.status_detail === 'refused' ? 'refused' : receipts[data.status]!
}
