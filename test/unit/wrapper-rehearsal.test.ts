import { expect, onTestFinished, test } from 'vitest'
import { systemContext, withChanges } from '../../src/context.ts'
import { getMission, insertMission } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { newMissionId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import { systemProbe } from '../../src/system/process-identity.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { takeLease } from '../../src/wrapper/lease.ts'
import { rehearseEnding } from '../../src/wrapper/rehearsal.ts'
import { SignalListener } from '../../src/wrapper/signal-listener.ts'
import { endingSignals } from '../../src/wrapper/signal-policy.ts'
import { aMission } from '../helpers/a-mission.ts'
import { temporaryDirectory } from '../helpers/cli.ts'

async function stage() {
  const paths = pathsAt(temporaryDirectory())
  const db = await openStore(paths.database)
  onTestFinished(() => void db.close())
  const id = newMissionId()
  insertMission(db, aMission({ id }))
  const probe = systemProbe(systemRunner)
  takeLease(db, id, probe.identify(process.pid)!, probe, new Date())
  const signals = new SignalListener()
  onTestFinished(() => signals.close())
  const said: string[] = []
  return {
    shared: {
      context: withChanges(systemContext(), { paths }),
      db,
      id,
      signals,
      probe,
      log: (text: string) => void said.push(text),
    },
    said,
    seen: () => ({
      mission: getMission(db, id),
      history: db.prepare('SELECT * FROM events').all(),
      listeners: endingSignals.map(signal => process.listenerCount(signal)),
      received: signals.received,
    }),
  }
}

test('everything is as it was before', async () => {
  const { shared, said, seen } = await stage()
  const before = seen()
  expect(before.mission).toMatchObject({ wrapper_pid: process.pid })
  rehearseEnding(shared)
  expect(said).toEqual([])
  expect(seen()).toEqual(before)
})

test('a store that cannot be asked costs the rehearsal, not the mission', async () => {
  const { shared, said } = await stage()
  shared.db.close()
  rehearseEnding(shared)
  expect(said).toEqual([expect.stringContaining('not rehearsed: ')])
})
