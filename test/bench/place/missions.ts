import type { MissionRecord } from '../../../src/db/missions.ts'
import { listMissions } from '../../../src/db/missions.ts'
import { type Database, openStore } from '../../../src/db/open-store.ts'
import type { Box } from './box.ts'
import { useIdleClaude } from './claude.ts'
import { openMissionWindow, type Session, wrapperOf } from './session.ts'
import { storeMissions } from './store.ts'
import { until } from './timing.ts'

/** More at once only wait for each other. */
const startedAtOnce = 10

/** Missions with real wrappers, each with a Claude that is idle. */
export async function startMissions(box: Box, session: Session, count: number): Promise<MissionRecord[]> {
  useIdleClaude(box)
  const missions = await storeMissions(box, count)
  const db = await openStore(box.paths.database)
  try {
    for (let first = 0; first < count; first += startedAtOnce) {
      const batch = missions.slice(first, first + startedAtOnce)
      for (const mission of batch) openMissionWindow(box, session, mission, wrapperOf(mission))
      await until(`${batch.length} missions are idle`, () => idleAmong(db, batch).length === batch.length)
    }
    return idleAmong(db, missions)
  } finally {
    db.close()
  }
}

function idleAmong(db: Database, missions: readonly { id: string }[]): MissionRecord[] {
  const ids = new Set(missions.map(({ id }) => id))
  return listMissions(db).filter(({ id, state }) => ids.has(id as string) && state === 'idle')
}
