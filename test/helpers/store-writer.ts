import { recordEvent } from '../../src/db/events.ts'
import { getMission, insertMission, updateMission } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open.ts'
import { newMissionId } from '../../src/mission/id.ts'

/** One of many processes that write to the same store: `store-writer <path> <events>`. */
async function main(path: string, events: number): Promise<void> {
  const db = await openStore(path)
  const id = newMissionId()
  insertMission(db, {
    id,
    name: null,
    repo: null,
    parent_id: null,
    created_at: new Date().toISOString(),
    permission_mode: null,
    approve: null,
    model: null,
    session_id: id,
    forked_session_id: null,
    setup_pending: 0,
  })
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
