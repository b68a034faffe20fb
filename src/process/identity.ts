import { readFileSync, readlinkSync } from 'node:fs'
import type { Runner } from '../exec/runner.ts'

/**
 * A process that can be told from another one with the same pid: its start time, on Linux counted
 * from boot and therefore kept together with the boot and the pid namespace.
 */
export interface ProcessIdentity {
  pid: number
  /** Opaque; equal for the same process and different for any other. */
  start: string
}

/** `unknown` where the answer could not be had: never to be read as `dead`. */
export type Liveness = 'alive' | 'dead' | 'unknown'

export interface ProcessProbe {
  identify(pid: number): ProcessIdentity | null
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
  parent: number
}

/** The name in field 2 may hold spaces and parentheses: count from the last `)`. */
export function parseLinuxStat(text: string): LinuxStat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return {
    isDead: fields[0] === 'Z' || fields[0] === 'X',
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
  const ask = (pids: readonly number[]): Map<number, string> | null => {
    if (pids.length === 0) return new Map()
    const answer = exec.capture('ps', ['-o', 'pid=,stat=,lstart=', '-p', pids.join(',')], {
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    })
    // Exit 1 with no output is ps's way to say that none of them exists.
    if (answer.exitCode === 0 || (answer.exitCode === 1 && answer.stderr === ''))
      return parsePs(answer.stdout)
    return null
  }
  return {
    identify: pid => {
      const start = ask([pid])?.get(pid)
      return start === undefined ? null : { pid, start }
    },
    liveness: processes => {
      const starts = ask(processes.map(({ pid }) => pid))
      return processes.map(({ pid, start }) => {
        if (starts === null) return 'unknown'
        return starts.get(pid) === start ? 'alive' : 'dead'
      })
    },
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
