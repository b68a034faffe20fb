import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MissionRecord } from '../../../src/db/missions.ts'
import { listMissions } from '../../../src/db/missions.ts'
import { openStoreForReading } from '../../../src/db/open-store.ts'
import { findProgram } from '../../../src/system/find-program.ts'
import { openSession, startMissions } from '../bench-session.ts'
import type { Box } from '../box.ts'
import type { Case, Figure } from '../comparison.ts'

/** V8 collects garbage for some 35 ms when a process has been idle for eight seconds. That belongs to the start. */
const settledAfterMs = 15_000

const idleMissions = 100
const watchedMs = 30_000

/** The cost of idle missions: CPU, calls to tmux, and writes other than heartbeats. */
export const idle: Case = {
  measureFigures: async box => {
    requireProc()
    const tmuxCalls = countTmuxCalls(box)
    const missions = await startMissions(box, openSession(box), idleMissions)
    await sleep(settledAfterMs)
    const processes = missions.flatMap(wrapperProcesses)
    const before = await takeSnapshot(box, processes, tmuxCalls)
    await sleep(watchedMs)
    return figuresOf(before, await takeSnapshot(box, processes, tmuxCalls))
  },
}

interface Snapshot {
  atMs: number
  cpuMs: number
  tmuxCalls: number
  /** Modification time by path. */
  files: Map<string, number>
  missions: MissionRecord[]
  events: number
}

async function takeSnapshot(
  box: Box,
  processes: readonly number[],
  tmuxCalls: () => number,
): Promise<Snapshot> {
  const spentMs = processes.map(cpuMs).reduce((sum, ms) => sum + ms, 0)
  const atMs = performance.now()
  const db = (await openStoreForReading(box.paths.database))!
  const missions = listMissions(db)
  const { events } = db.prepare<[], { events: number }>('SELECT count(*) AS events FROM events').get()!
  db.close()
  const files = new Map([...modificationTimes(box.paths.home), ...modificationTimes(box.home)])
  return { atMs, cpuMs: spentMs, tmuxCalls: tmuxCalls(), files, missions, events }
}

function figuresOf(before: Snapshot, after: Snapshot): Figure[] {
  const percent = (100 * (after.cpuMs - before.cpuMs)) / (after.atMs - before.atMs)
  const files = [...after.files].filter(([path, at]) => before.files.get(path) !== at)
  const beats = after.missions.filter((mission, index) => {
    return mission.heartbeat_at !== before.missions[index]!.heartbeat_at
  })
  const hasChanged =
    JSON.stringify(before.missions.map(withoutHeartbeat)) !==
    JSON.stringify(after.missions.map(withoutHeartbeat))
  const otherWrites = files.length + (after.events - before.events) + Number(hasChanged)
  return [
    { label: 'all wrappers together', value: percent, unit: '% of one core', atMost: 1 },
    { label: 'calls to tmux', value: after.tmuxCalls - before.tmuxCalls, unit: '', atMost: 0 },
    { label: 'writes other than heartbeats', value: otherWrites, unit: '', atMost: 0 },
    { label: 'heartbeats', value: beats.length, unit: '', atMost: null },
  ]
}

function withoutHeartbeat(mission: MissionRecord): MissionRecord {
  return { ...mission, heartbeat_at: null }
}

/** The store's files change with every heartbeat, so they are left out. Its records are compared instead. */
function modificationTimes(directory: string): [string, number][] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.startsWith('database.sqlite'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .map(path => [path, statSync(path).mtimeMs])
}

/** Puts a program named tmux first on PATH that logs each call and then runs the real one. */
function countTmuxCalls(box: Box): () => number {
  const real = findProgram('tmux', box.env)!
  const log = box.write('tmux-calls', '')
  box.write(join('bin', 'tmux'), `#!/bin/sh\necho "$1" >>'${log}'\nexec '${real}' "$@"\n`, 0o755)
  return () => readFileSync(log, 'utf8').split('\n').length
}

const runningMissions = 20

/** Each round looks at another wrapper and another idle script. */
export const memory: Case = {
  prepare: async box => {
    requireProc()
    const missions = await startMissions(box, openSession(box), runningMissions)
    const idleNodes = startIdleNodes(box, runningMissions)
    await sleep(settledAfterMs)
    const sum = (pids: readonly number[]) => pids.map(pssMib).reduce((total, mib) => total + mib, 0)
    const turns = { subject: 0, floor: 0 }
    return {
      subject: async () => sum(wrapperProcesses(missions[turns.subject++ % runningMissions]!)),
      floor: async () => pssMib(idleNodes[turns.floor++ % runningMissions]!),
    }
  },
}

function startIdleNodes(box: Box, count: number): number[] {
  const script = box.write('idle.cjs', 'setInterval(() => {}, 1e9)\n')
  return Array.from({ length: count }, () => {
    const child = spawn(process.execPath, [script], { env: box.env, cwd: box.root, stdio: 'ignore' })
    box.cleanup.add(() => void child.kill('SIGKILL'))
    return child.pid!
  })
}

/** The wrapper and its children, without Claude. */
function wrapperProcesses({ wrapper_pid, claude_pid }: MissionRecord): number[] {
  const children = readProc(`${wrapper_pid}/task/${wrapper_pid}/children`).trim().split(' ')
  const others = children.filter(text => text !== '').map(Number)
  return [wrapper_pid!, ...others.filter(pid => pid !== claude_pid)]
}

const nsPerMs = 1e6
const kibPerMib = 1024

/** CPU time of all threads so far. schedstat counts nanoseconds; stat only counts ticks of 10 ms. */
export function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const spentNs = threads.map(thread => Number(readProc(`${pid}/task/${thread}/schedstat`).split(' ')[0]))
  return spentNs.reduce((sum, ns) => sum + ns, 0) / nsPerMs
}

/** Private memory plus a proportional share of memory that other processes map too. */
function pssMib(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readProc(`${pid}/smaps_rollup`))![1]) / kibPerMib
}

function readProc(path: string): string {
  return readFileSync(`/proc/${path}`, 'utf8')
}

function requireProc(): void {
  if (process.platform !== 'linux') throw new Error('this row needs /proc, which only Linux has')
}
