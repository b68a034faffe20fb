import { setTimeout as sleep } from 'node:timers/promises'
import { systemRunner } from '../../../src/exec/runner.ts'
import { isTaken, systemProbe } from '../../../src/process/identity.ts'
import { waitUntilGone } from '../../../src/process/tree.ts'
import type { Box } from '../place/box.ts'
import { startMissions } from '../place/missions.ts'
import { endServer, openMissionWindow, openSession } from '../place/session.ts'
import { storeMissions } from '../place/store.ts'
import { timeAgenc, until } from '../place/timing.ts'
import { median } from '../statistics.ts'
import type { Case } from './case.ts'

const missions = 30
const looks = 5
const settledMs = 3_000
const patienceMs = 10_000

/** With real wrappers, outside the session, so that it returns when everything is over. */
export const kill: Case = {
  prepare: async box => {
    const one = await medianOf(() => killWith(box, 1))
    const emptyOnes = await medianOf(() => endEmptyNodes(box))
    const figure = (label: string, value: number) => ({ label, value, unit: 'ms', atMost: null })
    return {
      subject: () => killWith(box, missions),
      floor: () => stopOne(box),
      figures: () => [
        figure('with one mission', one),
        figure('to end as many windows with empty Node scripts, without a Node to do it', emptyOnes),
      ],
    }
  },
}

async function medianOf(measure: () => Promise<number>): Promise<number> {
  const seen: number[] = []
  for (let look = 0; look < looks; look++) seen.push(await measure())
  return median(seen)
}

async function killWith(box: Box, count: number): Promise<number> {
  const session = openSession(box)
  await startMissions(box, session, count)
  const tookMs = timeAgenc(box, ['tmux', 'kill'])
  await until('the server is gone', () => !isTaken(session.serverPid))
  return tookMs
}

async function stopOne(box: Box): Promise<number> {
  const [mission] = await startMissions(box, openSession(box), 1)
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
