import { readFileSync, readlinkSync } from 'node:fs'
import { errorCode } from '../errors.ts'
import type { Runner } from './runner.ts'

/**
 * A process that can be told from another one with the same pid: its start time, on Linux counted
 * from boot and therefore kept together with the boot and the pid namespace.
 */
export interface ProcessIdentity {
  pid: number
  /** Opaque; equal for the same process and different for any other. */
  start: string
}

export function isSameProcess(a: ProcessIdentity | null, b: ProcessIdentity | null): boolean {
  return a?.pid === b?.pid && a?.start === b?.start
}

/** `unknown` where the answer could not be had: never to be read as `dead`. */
export type Liveness = 'alive' | 'dead' | 'unknown'

export interface ProcessProbe {
  identify(pid: number): ProcessIdentity | null
  /** The living ones among these, in one question. */
  identifyAll(pids: readonly number[]): ProcessIdentity[]
  /** Stopped, by Ctrl-Z for instance: it hears no signal but SIGCONT and SIGKILL. */
  isSuspended(pid: number): boolean
  /** One question for any number of processes. */
  liveness(processes: readonly ProcessIdentity[]): Liveness[]
}

export function systemProbe(exec: Runner): ProcessProbe {
  return process.platform === 'linux' ? linuxProbe() : psProbe(exec)
}

export function linuxProbe(): ProcessProbe {
  const era = `${readText('/proc/sys/kernel/random/boot_id')}:${namespaceId()}`
  const identify = (pid: number): ProcessIdentity | null => {
    const stat = linuxStat(pid)
    return stat === null || stat.isDead ? null : { pid, start: `${era}:${stat.startTicks}` }
  }
  return {
    identify,
    identifyAll: pids => pids.map(identify).filter(identity => identity !== null),
    isSuspended: pid => linuxStat(pid)?.isSuspended === true,
    liveness: processes => processes.map(known => linuxLiveness(known, era)),
  }
}

function linuxLiveness(known: ProcessIdentity, era: string): Liveness {
  const [boot, namespace] = known.start.split(':')
  const [ownBoot, ownNamespace] = era.split(':')
  if (boot !== ownBoot) return 'dead'
  // Another container's pids mean nothing here.
  if (namespace !== ownNamespace) return 'unknown'
  const stat = linuxStat(known.pid)
  return stat !== null && !stat.isDead && known.start === `${era}:${stat.startTicks}` ? 'alive' : 'dead'
}

interface LinuxStat {
  startTicks: string
  isDead: boolean
  isSuspended: boolean
  parent: number
}

/** The name in field 2 may hold spaces and parentheses: count from the last `)`. */
export function parseLinuxStat(text: string): LinuxStat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return {
    isDead: fields[0] === 'Z' || fields[0] === 'X',
    isSuspended: fields[0] === 'T',
    parent: Number(fields[1]),
    startTicks: fields[19] ?? '',
  }
}

function linuxStat(pid: number): LinuxStat | null {
  const text = readText(`/proc/${pid}/stat`)
  return text === '' ? null : parseLinuxStat(text)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}

function namespaceId(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')
  } catch {
    return ''
  }
}

/** macOS and the like: `ps` gives the start to the second. */
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
        if (starts === null) return 'unknown'
        return starts.get(pid) === start ? 'alive' : 'dead'
      })
    },
  }
}

/** null: ps could not be asked. */
function askPs(exec: Runner, pids: readonly number[]): Map<number, string> | null {
  if (pids.length === 0) return new Map()
  const answer = exec.capture('ps', ['-o', 'pid=,stat=,lstart=', '-p', pids.join(',')], {
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  })
  // Exit 1 with no output is ps's way to say that none of them exists.
  const hasAnswered = answer.exitCode === 0 || (answer.exitCode === 1 && answer.stderr === '')
  return hasAnswered ? parsePs(answer.stdout) : null
}

/** Is there any process of this number? Costs next to nothing, unlike `ps`. */
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
