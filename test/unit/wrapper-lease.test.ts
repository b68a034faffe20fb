import { expect, onTestFinished, test } from 'vitest'
import { systemContext, withChanges } from '../../src/context.ts'
import { getMission, insertMission, updateMission } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { statusOf } from '../../src/mission/mission-status.ts'
import { MissionService } from '../../src/mission/service.ts'
import { newMissionId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import { systemProbe } from '../../src/system/process-identity.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { giveUpLease, releaseLease, takeLease } from '../../src/wrapper/lease.ts'
import {
  dismissLost,
  endClaudeLeftBehind,
  refuseLiveClaude,
  stopMissions,
} from '../../src/wrapper/stop-missions.ts'
import { aMission } from '../helpers/a-mission.ts'
import { temporaryDirectory } from '../helpers/cli.ts'

const probe = systemProbe(systemRunner)
const self = probe.identify(process.pid)!
/** A process of another boot, which cannot be alive. */
const gone = { pid: 1, start: 'another:1:1' }
const left = { why: 'left', code: 0, signal: null } as const

async function bench() {
  const paths = pathsAt(temporaryDirectory())
  const db = await openStore(paths.database)
  onTestFinished(() => void db.close())
  const id = newMissionId()
  insertMission(db, aMission({ id }))
  const store = { db, missions: new MissionService(db, () => new Date()) }
  return {
    db,
    id,
    context: withChanges(systemContext(), { paths }),
    mission: () => getMission(db, id)!,
    store,
    take: () => takeLease(store, id, self, probe, new Date()),
  }
}

test('only its holder can release a lease, and only once', async () => {
  const { store, id, take, mission } = await bench()
  take()
  expect(releaseLease(store, id, gone, left)).toBe(false)
  expect(releaseLease(store, id, null, left)).toBe(false)
  expect(mission()).toMatchObject({ wrapper_pid: self.pid, ended_by: null })
  expect(releaseLease(store, id, self, left)).toBe(true)
  expect(mission()).toMatchObject({ wrapper_pid: null, ended_by: 'user', exit_code: 0 })
  expect(releaseLease(store, id, self, { ...left, code: 1 })).toBe(false)
  expect(mission().exit_code).toBe(0)
})

test.each([
  ['a mission that was never run', {}, 'failed'],
  ['a stopped mission', { ended_by: 'user' }, 'failed'],
  ['a lost mission', { ended_by: 'lost' }, 'lost'],
  ['a mission whose wrapper was killed', { wrapper_pid: gone.pid, wrapper_start: gone.start }, 'lost'],
] as const)(
  'after a failed start, %s can be told from others, and a lost one is still lost',
  async (_title, before, ended_by) => {
    const { db, store, id, take, mission } = await bench()
    const claude = { claude_pid: self.pid, claude_start: self.start }
    updateMission(db, id, { ...before, ...claude })
    giveUpLease(store, take(), self)
    expect(mission()).toMatchObject({ ...claude, wrapper_pid: null, state: null, exit_code: 1, ended_by })
  },
)

test('a lost mission that is being resumed is not dismissed', async () => {
  const { db, store, id, context, take, mission } = await bench()
  updateMission(db, id, { ended_by: 'lost', exit_signal: 'SIGHUP' })
  const lost = mission()
  take()
  expect(await dismissLost(context, db, lost)).toBe(false)
  expect(mission()).toMatchObject({ wrapper_pid: self.pid, ended_by: null })
  releaseLease(store, id, self, { ...left, why: 'lost' })
  expect(await dismissLost(context, db, mission())).toBe(true)
  expect(mission()).toMatchObject({ ended_by: 'user', exit_code: 0 })
})

test('a mission whose processes cannot be read counts as running, however old its heartbeat is', async () => {
  const { db, id, context, mission } = await bench()
  const unreadable = {
    ...probe,
    liveness: (known: readonly unknown[]) => known.map(() => 'unreadable' as const),
  }
  const processes = { wrapper_pid: 4711, wrapper_start: 'x:1:1', claude_pid: 4712, claude_start: 'x:1:2' }
  updateMission(db, id, { ...processes, heartbeat_at: '2020-01-01T00:00:00.000Z' })
  expect(statusOf(mission(), 'unreadable', new Date())).toBe('running')
  expect(await stopMissions(context, db, [mission()], unreadable)).toEqual([mission()])
  expect(await dismissLost(context, db, mission(), unreadable)).toBe(false)
  await expect(endClaudeLeftBehind(context, mission(), unreadable)).rejects.toThrow('may still be running')
  expect(() => refuseLiveClaude(context, mission(), unreadable)).toThrow('may still be running')
  expect(mission()).toMatchObject(processes)
  updateMission(db, id, { wrapper_pid: null, wrapper_start: null, ended_by: 'lost' })
  expect(await stopMissions(context, db, [mission()], unreadable)).toEqual([mission()])
})
