import { recordEvent } from '../../src/db/events.ts'
import { getMission, insertMission, updateMission } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { aMission } from './a-mission.ts'

/** Writes a mission and this many events to a store, as one of many processes: `store-writer <path> <events>`. */
async function main(path: string, events: number): Promise<void> {
  const db = await openStore(path)
  const mission = aMission()
  const { id } = mission
  insertMission(db, mission)
  for (let index = 0; index < events; index++) {
    db.transaction(() => {
      const seen = getMission(db, id)!
      updateMission(db, id, { name: String(Number(seen.name) + 1) })
      recordEvent(db, id, new Date().toISOString(), 'counted', { index })
    }).immediate()
  }
  db.close()
}

main(process.argv[2]!, Number(process.argv[3])).catch(error => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})
