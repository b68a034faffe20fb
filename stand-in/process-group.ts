import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

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
