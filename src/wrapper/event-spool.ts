import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
} from 'node:fs'
import { join } from 'node:path'
import { longestEventBytes } from '../claude/hook-scripts.ts'
import { errorCode } from '../errors.ts'
import { isTaken } from '../system/process-identity.ts'

/** Anything in the spool, not opened yet. It may be a directory, a FIFO or a link. */
export interface SpoolEntry {
  path: string
  /** Distinguishes this entry from a later one of the same name. */
  key: string
  /** A regular file of this user. */
  isOwnFile: boolean
  pid: number
  bornNs: bigint
}

export interface SpooledFile {
  path: string
  key: string
  bornMs: number
  /** The file's JSON. */
  data: unknown
}

/** A part of the spool that fits into memory. */
export interface SpoolBatch {
  files: SpooledFile[]
  /** Entries that will never become a valid event, each with the reason. */
  rejected: { path: string; key: string; reason: string }[]
  /** How many files could not be read at this moment, for instance because too many files are open. */
  unread: number
}

const mostFiles = 1_000
/** Reading takes more than ten times as much memory for a moment. */
const mostBytes = 16 * 1024 * 1024

/** Lists the spool, oldest entry first. Opens nothing and follows no link. */
export function listSpool(events: string): SpoolEntry[] {
  const entries = readdirSync(events).map(name => describe(join(events, name), name))
  return entries.filter(entry => entry !== null).sort(byAge)
}

/**
 * Reads the complete files among the entries, in batches of a bounded size. A file that a hook is still writing is left
 * for the hook's wake-up.
 */
export function* readInBatches(entries: readonly SpoolEntry[], nowMs: number): Generator<SpoolBatch> {
  let batch: SpoolBatch = { files: [], rejected: [], unread: 0 }
  let bytes = 0
  for (const entry of entries) {
    if (batch.files.length >= mostFiles || bytes + longestEventBytes > mostBytes) {
      yield batch
      batch = { files: [], rejected: [], unread: 0 }
      bytes = 0
    }
    bytes += readInto(batch, entry, nowMs)
  }
  yield batch
}

/** Returns how many bytes of events were added. */
function readInto(batch: SpoolBatch, entry: SpoolEntry, nowMs: number): number {
  const { path, key } = entry
  // Checked before the file is read: a hook that ends in between has already written the rest.
  const mayGrow = isBeingWritten(entry, nowMs)
  const content = entry.isOwnFile ? readOwnFile(path) : foreign
  if (content === 'unread') batch.unread += 1
  else if ('reason' in content) batch.rejected.push({ path, key, reason: content.reason })
  else {
    const data = parseWhole(content.text)
    if (data === undefined && !mayGrow) batch.rejected.push({ path, key, reason: 'not JSON' })
    if (data === undefined) return 0
    batch.files.push({ path, key, bornMs: Number(entry.bornNs / 1_000_000n), data })
    return content.text.length
  }
  return 0
}

function describe(path: string, name: string): SpoolEntry | null {
  try {
    const stats = lstatSync(path, { bigint: true })
    const bornNs = stats.birthtimeNs > 0n ? stats.birthtimeNs : stats.mtimeNs
    const key = `${name}:${stats.ino}:${bornNs}`
    return { path, key, isOwnFile: isOwnFile(stats), pid: Number.parseInt(name, 10), bornNs }
  } catch {
    return null
  }
}

function isOwnFile(stats: BigIntStats): boolean {
  return stats.isFile() && Number(stats.uid) === process.getuid?.()
}

type Content = { text: string } | { reason: string } | 'unread'

const foreign = { reason: 'not a regular file of this user' }

/** Neither waits nor follows a link, even if the entry was replaced after it was listed. */
function readOwnFile(path: string): Content {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    return errorCode(error) === 'EACCES' ? { reason: 'not readable' } : 'unread'
  }
  try {
    const stats = fstatSync(descriptor, { bigint: true })
    if (!isOwnFile(stats)) return foreign
    if (stats.size > longestEventBytes) return { reason: 'too long' }
    return { text: readText(descriptor, Number(stats.size)) }
  } catch {
    return 'unread'
  } finally {
    closeSync(descriptor)
  }
}

/** Reads no more than the given size, even if the file is growing. */
function readText(descriptor: number, size: number): string {
  const buffer = Buffer.allocUnsafe(size)
  let length = 0
  while (length < size) {
    const count = readSync(descriptor, buffer, length, size - length, null)
    if (count === 0) break
    length += count
  }
  return buffer.toString('utf8', 0, length)
}

/** Claude runs hooks one after the other, so pids give the order of files with the same time. */
function byAge(a: SpoolEntry, b: SpoolEntry): number {
  if (a.bornNs !== b.bornNs) return a.bornNs < b.bornNs ? -1 : 1
  return a.pid - b.pid
}

/** Longer than Claude lets a hook run. If the pid exists after that, it belongs to another process. */
const longestWriteMs = 30_000

function isBeingWritten({ pid, bornNs }: SpoolEntry, nowMs: number): boolean {
  return isTaken(pid) && nowMs - Number(bornNs / 1_000_000n) < longestWriteMs
}

/** Returns undefined if the text is not a complete JSON object. */
function parseWhole(text: string): unknown {
  if (!text.trimEnd().endsWith('}')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
