import { readdirSync, readFileSync } from 'node:fs'
import type { ProcessIdentity, ProcessProbe } from './process-identity.ts'
import { type ProcessTable, scanProcesses } from './process-table.ts'
import type { Runner } from './runner.ts'

/** A process and everything below it, children before grandchildren, as they are now. */
export function listTree(exec: Runner, probe: ProcessProbe, root: number): ProcessIdentity[] {
  const below = linuxDescendants(root) ?? descendants(scanProcesses(process.platform, exec), root)
  return probe.identifyAll([root, ...below])
}

/** Linux says which children a thread has, which spares a look at every process; null where it does not. */
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

/** null: the process is gone, or this kernel does not tell. */
function childrenOfThreads(tasks: string): number[] | null {
  for (let look = 1; ; look++) {
    const answers = entriesOf(tasks).map(thread => childrenOfThread(`${tasks}/${thread}/children`))
    const told = answers.filter(children => children !== null)
    if (told.length === 0) return null
    // A thread that ended during the look has left its children to another, which may have been asked before.
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

/** Each is checked again just before: a pid alone may belong to somebody else by now. */
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
      // It ended in between.
    }
  })
}

/** Also heard by those that are suspended. */
export function signalPolitely(
  probe: ProcessProbe,
  processes: readonly ProcessIdentity[],
  signal: NodeJS.Signals,
): void {
  // Asked before: once the first of many is told to go, we share the processor with it.
  const suspended = processes.filter(({ pid }) => probe.isSuspended(pid))
  signalProcesses(probe, processes, signal)
  signalProcesses(probe, suspended, 'SIGCONT')
}

export function isAlive(probe: ProcessProbe, known: ProcessIdentity): boolean {
  return probe.liveness([known])[0] === 'alive'
}

/** Short at first: most are gone in a moment. */
const longestPauseMs = 4
/** The kernel ends what is killed at once, unless it is stuck in a device or a dead file system. */
const killMs = 2_000

/** true once all are gone, false when time ran out. */
export async function waitUntilGone(
  probe: ProcessProbe,
  processes: readonly ProcessIdentity[],
  timeoutMs: number,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  let pauseMs = 0
  // One after the other: while the first is there, nobody needs to look at the rest.
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
 * Politely first; what is left after `graceMs` is killed. Resolves to whether surely nothing is left: of a process
 * that cannot be seen, nobody knows.
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
