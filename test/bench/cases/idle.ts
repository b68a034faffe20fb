import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MissionRecord } from '../../../src/db/missions.ts'
import { listMissions } from '../../../src/db/missions.ts'
import { openStoreForReading } from '../../../src/db/open-store.ts'
import { findProgram } from '../../../src/system/find-program.ts'
import type { Figure } from '../outcome.ts'
import type { Box } from '../place/box.ts'
import { startMissions } from '../place/missions.ts'
import { cpuMs, requireProc, settledAfterMs, wrapperProcesses } from '../place/processes.ts'
import { openSession } from '../place/session.ts'
import type { Case } from './case.ts'

const count = 100
const watchedMs = 30_000

export const idle: Case = {
  survey: async box => {
    requireProc()
    const tmuxCalls = countTmuxCalls(box)
    const missions = await startMissions(box, openSession(box), count)
    await sleep(settledAfterMs)
    const processes = missions.flatMap(wrapperProcesses)
    const before = await look(box, processes, tmuxCalls)
    await sleep(watchedMs)
    return figuresOf(before, await look(box, processes, tmuxCalls))
  },
}

interface Look {
  atMs: number
  cpuMs: number
  tmuxCalls: number
  /** By path, when each was last written. */
  files: Map<string, number>
  missions: MissionRecord[]
  events: number
}

async function look(box: Box, processes: readonly number[], tmuxCalls: () => number): Promise<Look> {
  const spentMs = processes.map(cpuMs).reduce((sum, ms) => sum + ms, 0)
  const atMs = performance.now()
  const db = (await openStoreForReading(box.paths.database))!
  const missions = listMissions(db)
  const { events } = db.prepare<[], { events: number }>('SELECT count(*) AS events FROM events').get()!
  db.close()
  const files = new Map([...writtenAt(box.paths.home), ...writtenAt(box.home)])
  return { atMs, cpuMs: spentMs, tmuxCalls: tmuxCalls(), files, missions, events }
}

function figuresOf(before: Look, after: Look): Figure[] {
  const percent = (100 * (after.cpuMs - before.cpuMs)) / (after.atMs - before.atMs)
  const files = [...after.files].filter(([path, at]) => before.files.get(path) !== at)
  const beats = after.missions.filter((mission, index) => {
    return mission.heartbeat_at !== before.missions[index]!.heartbeat_at
  })
  const isOther =
    JSON.stringify(before.missions.map(withoutBeat)) !== JSON.stringify(after.missions.map(withoutBeat))
  const others = files.length + (after.events - before.events) + Number(isOther)
  return [
    { label: 'all wrappers together', value: percent, unit: '% of one core', atMost: 1 },
    { label: 'tmux calls', value: after.tmuxCalls - before.tmuxCalls, unit: '', atMost: 0 },
    { label: 'writes but heartbeats', value: others, unit: '', atMost: 0 },
    { label: 'heartbeats', value: beats.length, unit: '', atMost: null },
  ]
}

function withoutBeat(mission: MissionRecord): MissionRecord {
  return { ...mission, heartbeat_at: null }
}

/** The store's own files change with every heartbeat: what stands in it is compared instead. */
function writtenAt(directory: string): [string, number][] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.startsWith('database.sqlite'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .map(path => [path, statSync(path).mtimeMs])
}

/** A program of the same name before the real one on PATH keeps count. */
function countTmuxCalls(box: Box): () => number {
  const real = findProgram('tmux', box.env)!
  const log = box.write('tmux-calls', '')
  box.write(join('bin', 'tmux'), `#!/bin/sh\necho "$1" >>'${log}'\nexec '${real}' "$@"\n`, 0o755)
  return () => readFileSync(log, 'utf8').split('\n').length
}
