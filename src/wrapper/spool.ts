import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import type { Runner } from '../exec/runner.ts'
import { makePrivateDirectory } from '../io/files.ts'

/** One file an event, and a bell: a FIFO into which a hook drops one byte when its file is whole. */
export interface SpoolPaths {
  events: string
  bell: string
}

export function spoolPaths(runDirectory: string): SpoolPaths {
  return { events: join(runDirectory, 'ev'), bell: join(runDirectory, 'bell') }
}

export interface SpooledFile {
  path: string
  /** Tells this very file from a later one of the same name. */
  key: string
  text: string
}

const largestEventBytes = 4 * 1024 * 1024
const mostFiles = 10_000

export interface SpoolSweep {
  files: SpooledFile[]
  /** Files that are not an event and never will be, with the reason. */
  rejected: { path: string; reason: string }[]
}

/** Everything that is whole, oldest first. `isWriting` tells whether the hook behind a file still runs. */
export function sweepSpool(events: string, isWriting: (pid: number) => boolean): SpoolSweep {
  const entries = readdirSync(events).map(name => describeFile(join(events, name), name))
  const sorted = entries.filter(entry => entry !== null).sort(byAge)
  const sweep: SpoolSweep = { files: [], rejected: [] }
  const excess = sorted.splice(0, Math.max(0, sorted.length - mostFiles))
  for (const { path } of excess) sweep.rejected.push({ path, reason: 'the spool is full' })
  for (const { path, key, size, pid } of sorted) {
    if (size > largestEventBytes) {
      if (!isWriting(pid)) sweep.rejected.push({ path, reason: `${size} bytes are too many` })
      continue
    }
    const text = readFileSync(path, 'utf8')
    if (isWhole(text)) sweep.files.push({ path, key, text })
    else if (!isWriting(pid)) sweep.rejected.push({ path, reason: 'not JSON' })
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
    return {
      path,
      key: `${name}:${ino}:${bornNs}`,
      size: Number(size),
      pid: Number.parseInt(name, 10),
      bornNs,
    }
  } catch {
    return null
  }
}

function byAge(a: FileEntry, b: FileEntry): number {
  if (a.bornNs !== b.bornNs) return a.bornNs < b.bornNs ? -1 : 1
  return a.pid - b.pid
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

/**
 * Calls back at every ring, without polling and without one of the user's few inotify instances.
 * Held open for reading and writing, a FIFO never ends and its writers never block.
 */
export function listenToBell(exec: Runner, paths: SpoolPaths, onRing: () => void): () => void {
  makePrivateDirectory(paths.events)
  rmSync(paths.bell, { force: true })
  exec.capture('mkfifo', ['-m', '600', paths.bell])
  const descriptor = openSync(paths.bell, constants.O_RDWR | constants.O_NONBLOCK)
  const socket = new Socket({ fd: descriptor, readable: true, writable: false })
  socket.on('data', onRing)
  return () => {
    socket.destroy()
    rmSync(paths.bell, { force: true })
  }
}

/** For other agenc commands: wakes the wrapper up. */
export function ringBell(bell: string): void {
  if (!existsSync(bell)) return
  const descriptor = openSync(bell, constants.O_WRONLY | constants.O_NONBLOCK)
  try {
    writeSync(descriptor, '.')
  } finally {
    closeSync(descriptor)
  }
}
