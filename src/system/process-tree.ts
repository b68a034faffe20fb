import { readdirSync, readFileSync } from 'node:fs'
import type { ProcessIdentity, ProcessProbe } from './process-identity.ts'
import { type ProcessTable, scanProcesses } from './process-table.ts'
import type { Runner } from './runner.ts'

/**
 * Lists a process and all its descendants as they are now, children before grandchildren. If the system does not list
 * processes, this finds the root at most: the caller is about to end it, and must not fail before that.
 */
export function listTree(exec: Runner, probe: ProcessProbe, root: number): ProcessIdentity[] {
  return probe.identifyAll([root, ...descendantsOf(exec, root)])
}

function descendantsOf(exec: Runner, root: number): number[] {
  try {
    return linuxDescendants(root) ?? descendants(scanProcesses(process.platform, exec), root)
  } catch {
    return []
  }
}

/** Asks Linux for the children of each thread, without looking at every process. Returns null if that is not possible. */
export function linuxDescendants(root: number, proc = '/proc'): number[] | null {
  const found: number[] = []
  const queue = [root]
  for (let parent = queue.shift(); parent !== undefined; parent = queue.shift()) {
    const below = childrenOfThreads(`${proc}/${parent}/task`)
    if (below === null) {
      if (parent === root) return null
      continue
    }
    found.push(...below)
    queue.push(...below)
  }
  return found
}

const maxLooks = 3

/** Returns null if the process is gone or the kernel does not report children. */
function childrenOfThreads(tasks: string): number[] | null {
  for (let look = 1; ; look++) {
    const answers = entriesOf(tasks).map(thread => childrenOfThread(`${tasks}/${thread}/children`))
    const told = answers.filter(children => children !== null)
    if (told.length === 0) return null
    // A thread that ended in the meantime has left its children to another thread, which may already have been asked.
    if (told.length === answers.length || look === maxLooks) return told.flat()
  }
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function childrenOfThread(path: string): number[] | null {
  try {
    return readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return null
  }
}

export function descendants(table: ProcessTable, root: number): number[] {
  const found: number[] = []
  const queue = [root]
  const children = childrenByParent(table)
  for (let parent = queue.shift(); parent !== undefined; parent = queue.shift()) {
    const below = children.get(parent) ?? []
    found.push(...below)
    queue.push(...below)
  }
  return found
}

function childrenByParent(table: ProcessTable): Map<number, number[]> {
  const children = new Map<number, number[]>()
  for (const { pid, ppid } of table.values()) {
    const siblings = children.get(ppid)
    if (siblings) siblings.push(pid)
    else children.set(ppid, [pid])
  }
  return children
}

/** Skips a process that has ended, because its pid may have been reused. */
export function signalProcesses(
  probe: ProcessProbe,
  processes: readonly ProcessIdentity[],
  signal: NodeJS.Signals,
): void {
  const states = probe.liveness(processes)
  processes.forEach(({ pid }, index) => {
    if (states[index] !== 'alive') return
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended since the check.
    }
  })
}

/** Signals processes and wakes those that are suspended, so that they can react to the signal. */
export function signalPolitely(
  probe: ProcessProbe,
  processes: readonly ProcessIdentity[],
  signal: NodeJS.Signals,
): void {
  // Check this before any signal: processes that are ending compete with this one for the processor.
  const suspended = processes.filter(({ pid }) => probe.isSuspended(pid))
  signalProcesses(probe, processes, signal)
  signalProcesses(probe, suspended, 'SIGCONT')
}

export function isAlive(probe: ProcessProbe, known: ProcessIdentity): boolean {
  return probe.liveness([known])[0] === 'alive'
}

/** The first pauses are shorter, because most processes end at once. */
const longestPauseMs = 4
/** A killed process ends at once, unless it is stuck in a device or a dead file system. */
const killMs = 2_000

/** Resolves to true once all are gone, or to false if that takes longer than `timeoutMs`. */
export async function waitUntilGone(
  probe: ProcessProbe,
  processes: readonly ProcessIdentity[],
  timeoutMs: number,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  let pauseMs = 0
  // One by one: while the first is alive, the state of the others does not matter.
  for (const known of processes) {
    while (probe.liveness([known])[0] !== 'dead') {
      if (Date.now() >= deadline) return false
      pauseMs = Math.min(pauseMs + 1, longestPauseMs)
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
  }
  return true
}

/**
 * Sends a signal to a process, waits `graceMs`, and kills what is left of its tree. Resolves to true only if all of it
 * is known to be gone. Resolves to false for a process that cannot be seen.
 */
export async function endTree(
  exec: Runner,
  probe: ProcessProbe,
  root: ProcessIdentity,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<boolean> {
  const [liveness] = probe.liveness([root])
  if (liveness !== 'alive') return liveness === 'dead'
  const before = listTree(exec, probe, root.pid)
  signalPolitely(probe, [root], signal)
  if (await waitUntilGone(probe, before, graceMs)) return true
  const late = isAlive(probe, root) ? listTree(exec, probe, root.pid) : []
  const all = [...before, ...late]
  signalProcesses(probe, all, 'SIGKILL')
  return waitUntilGone(probe, all, killMs)
}

/** Sends a signal to processes, waits `graceMs`, and kills those that are left. Resolves to true if all are gone. */
export async function endProcesses(
  probe: ProcessProbe,
  processes: readonly ProcessIdentity[],
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<boolean> {
  signalPolitely(probe, processes, signal)
  if (await waitUntilGone(probe, processes, graceMs)) return true
  signalProcesses(probe, processes, 'SIGKILL')
  return waitUntilGone(probe, processes, killMs)
}
