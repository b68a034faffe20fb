import { readFileSync, readlinkSync } from 'node:fs'
import { errorCode, unavailableError } from '../errors.ts'
import { askProcStat, hasEnded, isStopped, readProcStat } from './proc-stat.ts'
import type { Runner } from './runner.ts'

/**
 * Tells a process from another one with the same pid, by its start time. Linux counts the start time from boot, so
 * there `start` also names the boot and the pid namespace.
 */
export interface ProcessIdentity {
  pid: number
  /** Opaque. Equal for the same process and different for any other. */
  start: string
}

/** Writes an identity as one word, and reads it back. */
export function formatIdentity({ pid, start }: ProcessIdentity): string {
  return `${pid}@${start}`
}

export function parseIdentity(text: string): ProcessIdentity | null {
  const [, pid, start] = /^(\d+)@(.+)$/.exec(text) ?? []
  return pid === undefined ? null : { pid: Number(pid), start: start! }
}

export function isSameProcess(a: ProcessIdentity | null, b: ProcessIdentity | null): boolean {
  return a?.pid === b?.pid && a?.start === b?.start
}

/**
 * `unknown` means that this process cannot know, for instance because the other one is in another container.
 * `unreadable` means that it should know, but /proc cannot be read, or ps fails. Never treat either as `dead`.
 */
export type Liveness = 'alive' | 'dead' | 'unknown' | 'unreadable'

export interface ProcessProbe {
  identify(pid: number): ProcessIdentity | null
  /** Identifies the processes that are alive, with one query. */
  identifyAll(pids: readonly number[]): ProcessIdentity[]
  /** Whether a process is stopped, by Ctrl-Z for instance. It then receives no signal but SIGCONT and SIGKILL. */
  isSuspended(pid: number): boolean
  /** Takes one query for any number of processes. */
  liveness(processes: readonly ProcessIdentity[]): Liveness[]
}

/** Throws if this process cannot be identified: without its start time it could not be told from a later one. */
export function ownIdentity(probe: ProcessProbe): ProcessIdentity {
  const own = probe.identify(process.pid)
  if (own !== null) return own
  throw unavailableError(
    'agenc cannot find its own process in the list of processes',
    'Make /proc readable (Linux), or check that ps works.',
  )
}

export function systemProbe(exec: Runner): ProcessProbe {
  return process.platform === 'linux' ? linuxProbe() : psProbe(exec)
}

export function linuxProbe(proc = '/proc'): ProcessProbe {
  const era = `${readText(`${proc}/sys/kernel/random/boot_id`)}:${namespaceId(proc)}`
  const identify = (pid: number): ProcessIdentity | null => {
    const stat = readProcStat(pid, proc)
    return stat === null || hasEnded(stat) ? null : { pid, start: `${era}:${stat.startTicks}` }
  }
  return {
    identify,
    identifyAll: pids => pids.map(identify).filter(identity => identity !== null),
    isSuspended: pid => {
      const stat = readProcStat(pid, proc)
      return stat !== null && isStopped(stat)
    },
    liveness: processes => processes.map(known => linuxLiveness(known, era, proc)),
  }
}

function linuxLiveness(known: ProcessIdentity, era: string, proc: string): Liveness {
  const [boot, namespace] = known.start.split(':')
  const [ownBoot, ownNamespace] = era.split(':')
  if (boot !== ownBoot) {
    if (ownBoot === '') return 'unreadable'
    return boot === '' ? 'unknown' : 'dead'
  }
  if (namespace !== ownNamespace && ownNamespace === '') return 'unreadable'
  // Pids of another container mean nothing here.
  if (namespace !== ownNamespace) return 'unknown'
  const stat = askProcStat(known.pid, proc)
  if (stat === 'unreadable') return 'unreadable'
  if (stat === 'none' || hasEnded(stat)) return 'dead'
  return known.start === `${era}:${stat.startTicks}` ? 'alive' : 'dead'
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}

function namespaceId(proc: string): string {
  try {
    return readlinkSync(`${proc}/self/ns/pid`).replace(/\D/g, '')
  } catch {
    return ''
  }
}

/** For macOS and other systems without /proc. `ps` gives the start time to the second. */
export function psProbe(exec: Runner): ProcessProbe {
  const identifyAll = (pids: readonly number[]) =>
    [...(askPs(exec, pids) ?? [])].map(([pid, start]) => ({ pid, start }))
  return {
    identify: pid => identifyAll([pid])[0] ?? null,
    identifyAll,
    isSuspended: pid => exec.capture('ps', ['-o', 'stat=', '-p', String(pid)]).stdout.startsWith('T'),
    liveness: processes => {
      const candidates = processes.map(({ pid }) => pid).filter(isTaken)
      const starts = askPs(exec, candidates)
      return processes.map(({ pid, start }) => {
        if (!candidates.includes(pid)) return 'dead'
        if (starts === null) return 'unreadable'
        return starts.get(pid) === start ? 'alive' : 'dead'
      })
    },
  }
}

/** Returns null if ps failed. */
function askPs(exec: Runner, pids: readonly number[]): Map<number, string> | null {
  if (pids.length === 0) return new Map()
  const answer = exec.capture('ps', ['-o', 'pid=,stat=,lstart=', '-p', pids.join(',')], {
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  })
  // ps exits with 1 and no error message if none of the processes exists.
  const hasAnswered = answer.exitCode === 0 || (answer.exitCode === 1 && answer.stderr === '')
  return hasAnswered ? parsePs(answer.stdout) : null
}

/** Whether any process has this pid. Costs next to nothing, unlike `ps`. */
export function isTaken(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

export function parsePs(text: string): Map<number, string> {
  const starts = new Map<number, string>()
  for (const line of text.split('\n')) {
    const match = /^\s*(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line)
    if (match && !match[2]!.startsWith('Z')) starts.set(Number(match[1]), match[3]!.replace(/\s+/g, ' '))
  }
  return starts
}
