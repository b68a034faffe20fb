import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MissionRecord } from '../../../src/db/missions.ts'
import { isTaken, systemProbe } from '../../../src/system/process-identity.ts'
import { waitUntilGone } from '../../../src/system/process-tree.ts'
import { systemRunner } from '../../../src/system/runner.ts'
import type { Figure } from '../outcome.ts'
import type { Box } from '../place/box.ts'
import { startMissions } from '../place/missions.ts'
import { endServer, openMissionWindow, openSession, type Session } from '../place/session.ts'
import { storeMissions } from '../place/store.ts'
import { timeAgenc, until } from '../place/timing.ts'
import { median, type Pair, ratiosOf } from '../statistics.ts'
import type { Case } from './case.ts'

const missions = 30
const looks = 5
const settledMs = 3_000
/** Half a second after V8 has cleaned up it does so once more, and an ending would have to share the cores with that. */
const cleanedMs = 1_500
const patienceMs = 10_000

/** With real wrappers, outside the session, so that it returns when everything is over. */
export const kill: Case = {
  prepare: async box => {
    const emptyOnes = await medianOf(() => endEmptyNodes(box))
    const onOneCore = await pinned(() => medianOf(() => killWith(box, missions)))
    const beside: Pair[] = []
    return {
      subject: async () => {
        const all = await killWith(box, missions)
        beside.push({ subject: all, floor: await killWith(box, 1) })
        return all
      },
      floor: () => stopOne(box),
      figures: () => [
        figure('a session with one mission', median(beside.map(({ floor }) => floor)), 'ms'),
        { ...figure('with thirty, so many times that', median(ratiosOf(beside)), '×'), atMost: 3 },
        ...(onOneCore === null ? [] : [figure('thirty on one core alone', onOneCore, 'ms')]),
        figure('to end as many windows with empty Node scripts, without a Node to do it', emptyOnes, 'ms'),
      ],
    }
  },
}

function figure(label: string, value: number, unit: string): Figure {
  return { label, value, unit, atMost: null }
}

async function medianOf(measure: () => Promise<number>): Promise<number> {
  const seen: number[] = []
  for (let look = 0; look < looks; look++) seen.push(await measure())
  return median(seen)
}

/** With one core for this process and everything it starts; null where there is no program for that. */
async function pinned(measure: () => Promise<number>): Promise<number | null> {
  const taskset = (...args: string[]) => systemRunner.capture('taskset', [...args, String(process.pid)])
  const cores = /: ([\d,-]+)$/m.exec(taskset('-pc').stdout)?.[1]
  if (cores === undefined) return null
  taskset('-apc', /\d+/.exec(cores)![0])
  try {
    return await measure()
  } finally {
    taskset('-apc', cores)
  }
}

/** Such as users have: V8 has dropped what it had compiled at the start. */
async function startSettledMissions(box: Box, session: Session, count: number): Promise<MissionRecord[]> {
  const started = await startMissions(box, session, count)
  const logs = started.map(({ id }) => box.paths.mission(id).wrapperLog)
  await until('all have settled', () => logs.every(path => readFileSync(path, 'utf8').includes('settled')))
  await sleep(cleanedMs)
  return started
}

async function killWith(box: Box, count: number): Promise<number> {
  const session = openSession(box)
  await startSettledMissions(box, session, count)
  // As `attach` does: there are keys to be put back.
  box.agenc(['tmux', 'inject-config'])
  const tookMs = timeAgenc(box, ['tmux', 'kill'])
  await until('the server is gone', () => !isTaken(session.serverPid))
  return tookMs
}

async function stopOne(box: Box): Promise<number> {
  const [mission] = await startSettledMissions(box, openSession(box), 1)
  const tookMs = timeAgenc(box, ['mission', 'stop', mission!.id])
  await endServer(box)
  return tookMs
}

/** What tmux and the system take for it, whoever asks. */
async function endEmptyNodes(box: Box): Promise<number> {
  const session = openSession(box)
  const script = box.write(
    'leaving.cjs',
    "process.on('SIGTERM', () => process.exit())\nsetInterval(() => {}, 1e9)\n",
  )
  const named = await storeMissions(box, missions)
  for (const mission of named) openMissionWindow(box, session, mission, [process.execPath, script])
  await sleep(settledMs)
  const pids = session.tmux
    .tell(['list-panes', '-s', '-t', '=agenc:', '-F', '#{pane_pid}'])
    .slice(1)
    .map(Number)
  const probe = systemProbe(systemRunner)
  const scripts = probe.identifyAll(pids)
  const beforeMs = performance.now()
  for (const pid of pids) process.kill(pid, 'SIGTERM')
  await waitUntilGone(probe, scripts, patienceMs)
  session.tmux.ask(['kill-session', '-t', '=agenc'])
  const tookMs = performance.now() - beforeMs
  await until('the server is gone', () => !isTaken(session.serverPid))
  return tookMs
}
