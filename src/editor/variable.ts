import { readFileSync } from 'node:fs'
import type { Runner } from '../system/runner.ts'

/** A variable as the process was started with it; null where it is not set or may not be read. */
export type ReadVariable = (pid: number, name: string) => string | null

/** Reads each process once: fifty missions may sit behind one client. */
export function variableReader(platform: NodeJS.Platform, exec: Runner): ReadVariable {
  const known = new Map<number, string[]>()
  return (pid, name) => {
    const entries = known.get(pid) ?? (platform === 'linux' ? procEnviron(pid) : psEnviron(exec, pid))
    known.set(pid, entries)
    return entries.find(entry => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? null
  }
}

function procEnviron(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return []
  }
}

/** `ps -E` puts the environment behind the arguments, unquoted: good for values without spaces. */
function psEnviron(exec: Runner, pid: number): string[] {
  return exec.capture('ps', ['-Eww', '-o', 'command=', '-p', String(pid)]).stdout.split(/\s+/)
}
