import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AgencError, errorCode } from '../errors.ts'
import { shellWord } from '../io/shell-quote.ts'
import { isMissionId, type MissionId } from '../mission-id.ts'

/**
 * Throws if the store, or a part of it, is gone. SQLite would not notice: it takes a missing or empty file for a new
 * store, and without the write-ahead log it shows an older state. Opening it could then destroy what is left.
 */
export async function refuseLostStore(path: string): Promise<void> {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw isDirectory(path)
  const loss = await lossOf(path)
  if (loss !== null) throw new AgencError(loss, hintFor(path))
}

/** Says what is wrong with the store's files. Resolves to null if SQLite may open them. */
export async function lossOf(path: string): Promise<string | null> {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return null
  if (!stats || stats.size === 0) return lossOfWhole(path, stats === undefined ? 'is gone' : 'is empty')
  const missing = cutOffBytes(path)
  if (missing > 0) return `the store ${path} is cut off: ${missing} bytes are missing`
  const part = await deletedPart(path)
  return part === null ? null : `a part of the store is gone: ${part} was deleted`
}

function isDirectory(path: string): AgencError {
  return new AgencError(
    `cannot use the store ${path}: it is a directory`,
    'Move it away, or set AGENC_DIRPATH to another directory.',
  )
}

function lossOfWhole(path: string, what: string): string | null {
  const missions = missionDirectories(path).length
  if (missions === 0) return null
  return `the store ${path} ${what}, but there ${missions === 1 ? 'is 1 mission' : `are ${missions} missions`} in ${missionsOf(path)}`
}

function hintFor(path: string): string {
  const [newest] = copiesOf(path)
  const copy = newest === undefined ? '' : ` The newest copy of it is ${newest}.`
  return `Nothing was changed. 'agenc doctor --fix' keeps the file and rebuilds the store from the missions' own files.${copy} To go on without these missions, move ${shellWord(missionsOf(path))} away.`
}

/** Copies of the store, the newest first. */
export function copiesOf(path: string): string[] {
  const start = `${basename(path)}.before-`
  const names = readdirSync(dirname(path)).filter(name => name.startsWith(start) && !name.endsWith('.tmp'))
  const age = (copy: string) => statSync(copy, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return names.map(name => join(dirname(path), name)).sort((a, b) => age(b) - age(a))
}

function missionsOf(path: string): string {
  return join(dirname(path), 'missions')
}

export function missionDirectories(path: string): MissionId[] {
  try {
    return readdirSync(missionsOf(path)).filter(isMissionId)
  } catch {
    return []
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

const header = { pageSize: 16, writeFormat: 18, changes: 24, pages: 28, changesAtPages: 92, bytes: 100 }
const walFormat = 2

function readStart(path: string, bytes: number): Buffer {
  const start = Buffer.alloc(bytes)
  const file = openSync(path, 'r')
  try {
    readSync(file, start, 0, bytes, 0)
    return start
  } finally {
    closeSync(file)
  }
}

/** Another process may be changing the store at this moment, so the loss must be there each time. */
function cutOffBytes(path: string): number {
  const missing = [1, 2, 3].map(() => (sizeOf(`${path}-wal`) > 0 ? 0 : bytesMissing(path)))
  return Math.min(...missing)
}

/** Compares the size with the number of pages in the header. Valid only while the write-ahead log has no pages. */
function bytesMissing(path: string): number {
  const start = readStart(path, header.bytes)
  if (!start.toString('latin1').startsWith('SQLite format 3\0')) return 0
  // An old SQLite does not keep the number of pages up to date, and does not repeat the counter either.
  if (start.readUInt32BE(header.changes) !== start.readUInt32BE(header.changesAtPages)) return 0
  const pageSize = start.readUInt16BE(header.pageSize)
  return start.readUInt32BE(header.pages) * (pageSize === 1 ? 65_536 : pageSize) - statSync(path).size
}

/** Longer than another process needs to open or close the store, even on a busy machine. */
const looks = 50
const pauseMs = 20

/**
 * SQLite itself deletes the log (-wal) and its index (-shm) when the last process closes the store. They were deleted by
 * something else if a process still uses the store, or if the index lists changes that the store does not have. For a
 * moment, both also happen while another process opens or closes the store, so look again.
 */
async function deletedPart(path: string): Promise<string | null> {
  let part = missingPart(path)
  for (let look = 0; part !== null && look < looks; look++) {
    if (!isInUse(path) && !(part.endsWith('-wal') && hasUnstoredChanges(path))) return null
    await new Promise(resolve => setTimeout(resolve, pauseMs))
    part = missingPart(path)
  }
  return part
}

/** The log or its index, whichever does not exist. While a process has the store open, both exist. */
export function missingPart(path: string): string | null {
  return [`${path}-wal`, `${path}-shm`].find(part => !existsSync(part)) ?? null
}

/** The fields of the index (-shm) that count the changes in the log, and those of them that are in the store. */
const index = { logged: 16, stored: 96, bytes: 100 }

function hasUnstoredChanges(path: string): boolean {
  const start = startOfIndex(path)
  if (start === null) return false
  // The index has the byte order of the machine, as a typed array does.
  const fields = new Uint32Array(start.buffer, start.byteOffset, index.bytes / 4)
  return fields[index.logged / 4]! > fields[index.stored / 4]!
}

/** Null if the index is too short, or is being deleted at this moment. */
function startOfIndex(path: string): Buffer | null {
  try {
    return sizeOf(`${path}-shm`) < index.bytes ? null : readStart(`${path}-shm`, index.bytes)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

/**
 * Whether another process has the store open in WAL mode, together with others. Such a process always has a lock to read.
 * Only Linux lists the locks.
 */
function isInUse(path: string): boolean {
  if (readStart(path, header.bytes)[header.writeFormat] !== walFormat) return false
  try {
    const { ino } = statSync(path)
    return readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .some(line => /\bPOSIX\b.*\bREAD\b/.test(line) && line.includes(`:${ino} `))
  } catch {
    return false
  }
}
