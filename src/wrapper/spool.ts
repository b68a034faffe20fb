import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { longestEventBytes } from '../claude/hook-command.ts'
import { isTaken } from '../system/process-identity.ts'

/** One file an event, named by the hook's pid, and a bell: a FIFO that a hook rings when its file is whole. */
export interface SpoolPaths {
  events: string
  bell: string
  /** Where hooks wait that want an answer. */
  asks: string
  /** Settings that deny nothing: while they are in force, hooks need not ask. */
  undenied: string
}

export function spoolPaths(runDirectory: string): SpoolPaths {
  return {
    events: join(runDirectory, 'ev'),
    bell: join(runDirectory, 'bell'),
    asks: join(runDirectory, 'ask'),
    undenied: join(runDirectory, 'undenied'),
  }
}

export interface SpooledFile {
  path: string
  /** Tells this very file from a later one of the same name. */
  key: string
  text: string
}

export interface SpoolSweep {
  files: SpooledFile[]
  /** Files that are not an event and never will be, with the reason. */
  rejected: { path: string; reason: string }[]
}

/** Everything that is whole, oldest first. What a hook is still writing waits for its bell. */
export function sweepSpool(events: string, nowMs: number): SpoolSweep {
  const entries = readdirSync(events).map(name => describeFile(join(events, name), name))
  const sweep: SpoolSweep = { files: [], rejected: [] }
  for (const entry of entries.filter(found => found !== null).sort(byAge)) {
    const { path, key, size } = entry
    const text = size > longestEventBytes ? null : readFileSync(path, 'utf8')
    if (text !== null && isWhole(text)) sweep.files.push({ path, key, text })
    else if (text === null || !isBeingWritten(entry, nowMs)) {
      sweep.rejected.push({ path, reason: text === null ? 'too long' : 'not JSON' })
    }
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

/** Claude runs one hook after the other, so within one tick of the clock the pids tell their order. */
function byAge(a: FileEntry, b: FileEntry): number {
  if (a.bornNs !== b.bornNs) return a.bornNs < b.bornNs ? -1 : 1
  return a.pid - b.pid
}

/** Longer than Claude lets a hook run: whoever has its pid by then is somebody else. */
const longestWriteMs = 30_000

function isBeingWritten({ pid, bornNs }: FileEntry, nowMs: number): boolean {
  return isTaken(pid) && nowMs - Number(bornNs / 1_000_000n) < longestWriteMs
}

function isWhole(text: string): boolean {
  if (!text.trimEnd().endsWith('}')) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
