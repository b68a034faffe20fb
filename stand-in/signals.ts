import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** The exit code for each signal. SIGINT makes Claude exit; it does not interrupt the turn. */
const exitCodes = { SIGINT: 0, SIGTERM: 143, SIGHUP: 129 } as const

export interface SignalHandlers {
  leave(exitCode: number): void
  continued(): void
  resized(): void
}

export function handleSignals(handlers: SignalHandlers): void {
  for (const [signal, exitCode] of Object.entries(exitCodes))
    process.on(signal, () => handlers.leave(exitCode))
  process.on('SIGCONT', handlers.continued)
  process.on('SIGWINCH', handlers.resized)
}

/**
 * Stops the whole process group, as a shell expects from a job. The kernel ignores this for an orphaned
 * group.
 */
export function suspend(): void {
  process.kill(0, 'SIGTSTP')
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}

/** Asks the child's process group to end, and kills it if it is still there after the grace period. */
export async function endGroup(child: ChildProcess, graceMs: number): Promise<void> {
  if (!isAlive(child)) return
  const gone = once(child, 'exit')
  signalGroup(child, 'SIGTERM')
  await Promise.race([gone, sleep(graceMs, undefined, { ref: false })])
  signalGroup(child, 'SIGKILL')
}

export function terminateGroup(child: ChildProcess): void {
  if (isAlive(child)) signalGroup(child, 'SIGTERM')
}

function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, name)
  } catch {
    // The group is empty.
  }
}
