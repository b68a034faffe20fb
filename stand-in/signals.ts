import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** What a signal means: the code to leave with. Claude quits on SIGINT, it does not interrupt. */
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

/** The whole group, as a shell's job: where nobody could ever continue it, the kernel does not stop it. */
export function suspend(): void {
  process.kill(0, 'SIGTSTP')
}

export function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}

/** Asks a child's whole group to end, and makes it end when it has not after the grace. */
export async function endGroup(child: ChildProcess, graceMs: number): Promise<void> {
  if (!isAlive(child)) return
  const gone = once(child, 'exit')
  signal(child, 'SIGTERM')
  await Promise.race([gone, sleep(graceMs, undefined, { ref: false })])
  signal(child, 'SIGKILL')
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, name)
  } catch {
    /* nobody left in the group */
  }
}
