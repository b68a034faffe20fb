import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { MissionRecord } from '../../../src/db/missions.ts'
import type { Box } from './box.ts'

const nsPerMs = 1e6
const kibPerMib = 1024

/** V8 clears up after a start, for some 35 ms, when a process has done nothing for eight seconds. */
export const settledAfterMs = 15_000

/** CPU time of all its threads so far, to the nanosecond. */
export function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const spentNs = threads.map(thread => Number(readProc(`${pid}/task/${thread}/schedstat`).split(' ')[0]))
  return spentNs.reduce((sum, ns) => sum + ns, 0) / nsPerMs
}

/** Its own memory, and its share of what it has in common with others. */
export function pssMib(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readProc(`${pid}/smaps_rollup`))![1]) / kibPerMib
}

/** The wrapper and what it keeps beside it, but for its Claude. */
export function wrapperProcesses({ wrapper_pid, claude_pid }: MissionRecord): number[] {
  const children = readProc(`${wrapper_pid}/task/${wrapper_pid}/children`).trim().split(' ')
  const others = children.filter(text => text !== '').map(Number)
  return [wrapper_pid!, ...others.filter(pid => pid !== claude_pid)]
}

/** Empty Node scripts that stay. */
export function startIdleNodes(box: Box, count: number): number[] {
  const script = box.write('idle.cjs', 'setInterval(() => {}, 1e9)\n')
  return Array.from({ length: count }, () => {
    const child = spawn(process.execPath, [script], { env: box.env, cwd: box.root, stdio: 'ignore' })
    box.leftovers.add(() => void child.kill('SIGKILL'))
    return child.pid!
  })
}

function readProc(path: string): string {
  return readFileSync(`/proc/${path}`, 'utf8')
}

/** Memory and CPU of single processes are read from /proc. */
export function requireProc(): void {
  if (process.platform !== 'linux') throw new Error('this row needs /proc, which only Linux has')
}
