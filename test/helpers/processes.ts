import { spawnSync } from 'node:child_process'
import { makerMark } from '../../src/system/maker.ts'
import { systemProbe } from '../../src/system/process-identity.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { waitFor } from './wait.ts'

const probe = systemProbe(systemRunner)

/** A process that has ended but was not reaped counts as dead. Needs no /proc. */
export function isAlive(pid: number): boolean {
  return probe.identify(pid) !== null
}

export function isSuspended(pid: number): boolean {
  return probe.isSuspended(pid)
}

/** Whether the process runs with this variable in its environment, which `ps` prints behind the command line. */
export function hasVariable(pid: number, variable: string): boolean {
  const { stdout } = systemRunner.capture('ps', ['eww', '-o', 'command=', '-p', String(pid)])
  return stdout.split(/\s/).includes(variable)
}

export function untilGone(...pids: (number | null)[]): Promise<true> {
  return waitFor(`the end of ${pids.join(', ')}`, () => pids.every(pid => pid === null || !isAlive(pid)))
}

export function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process is gone already.
  }
}

/** The mark of a process that has ended, as in the name of a temporary file that it left behind. */
export function markOfEndedProcess(): string {
  const { pid } = spawnSync('true')
  return makerMark().replace(/^\d+/, String(pid))
}
