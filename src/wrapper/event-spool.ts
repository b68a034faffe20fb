import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { longestEventBytes } from '../claude/hook-scripts.ts'
import { isTaken } from '../system/process-identity.ts'

export interface SpooledFile {
  path: string
  /** Distinguishes this file from a later one of the same name. */
  key: string
  /** The file's JSON. */
  data: unknown
}

export interface SpoolSweep {
  files: SpooledFile[]
  /** Files that will never become a valid event, each with the reason. */
  rejected: { path: string; reason: string }[]
}

/** Reads every complete file, oldest first. A file that a hook is still writing is left for the hook's wake-up. */
export function sweepSpool(events: string, nowMs: number): SpoolSweep {
  const entries = readdirSync(events).map(name => describeFile(join(events, name), name))
  const sweep: SpoolSweep = { files: [], rejected: [] }
  for (const entry of entries.filter(found => found !== null).sort(byAge)) {
    const { path, key, size } = entry
    const isTooLong = size > longestEventBytes
    const data = isTooLong ? undefined : parseWhole(readFileSync(path, 'utf8'))
    if (data !== undefined) sweep.files.push({ path, key, data })
    else if (isTooLong || !isBeingWritten(entry, nowMs))
      sweep.rejected.push({ path, reason: isTooLong ? 'too long' : 'not JSON' })
  }
  return sweep
}

interface FileEntry {
  path: string
  key: string
  size: number
  pid: number
  bornNs: bigint
}

function describeFile(path: string, name: string): FileEntry | null {
  try {
    const { ino, size, birthtimeNs, mtimeNs } = statSync(path, { bigint: true })
    const bornNs = birthtimeNs > 0n ? birthtimeNs : mtimeNs
    const key = `${name}:${ino}:${bornNs}`
    return { path, key, size: Number(size), pid: Number.parseInt(name, 10), bornNs }
  } catch {
    return null
  }
}

/** Claude runs hooks one after the other, so pids give the order of files with the same time. */
function byAge(a: FileEntry, b: FileEntry): number {
  if (a.bornNs !== b.bornNs) return a.bornNs < b.bornNs ? -1 : 1
  return a.pid - b.pid
}

/** Longer than Claude lets a hook run. If the pid exists after that, it belongs to another process. */
const longestWriteMs = 30_000

function isBeingWritten({ pid, bornNs }: FileEntry, nowMs: number): boolean {
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
