import { defineCommand, jsonOption } from '../../cli/command.ts'
import { recordEvent } from '../../db/events.ts'
import type { MissionRecord } from '../../db/mission-record.ts'
import { type MissionChange, updateMission } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { withStore } from '../../db/with-store.ts'
import { chooseMissions } from '../../mission/choose.ts'
import { stillRunning, stopMissions } from '../../wrapper/stop-missions.ts'

export default defineCommand<{ missions: string[]; json?: boolean }>({
  description: 'Hide missions from lists. Running ones are stopped first. Files and conversations are kept.',
  arguments: [{ name: 'missions', description: 'their ids, or prefixes of them', variadic: true }],
  options: [jsonOption],
  examples: ['agenc mission archive 3f2a 91bc'],
  async run(context, { missions: words, json }) {
    const ids = await withStore(context, async db => {
      const missions = await chooseMissions(context, db, words)
      const fresh = missions.filter(({ archived_at }) => archived_at === null)
      const at = context.now().toISOString()
      mark(db, fresh, { archived_at: at }, 'archived', at)
      // What runs, or may run, stays in the list.
      const takeBack = (some: readonly MissionRecord[]) =>
        mark(db, some, { archived_at: null }, 'unarchived', at)
      const left = await stopMissions(context, db, missions).catch(error => {
        takeBack(fresh)
        throw error
      })
      if (left.length > 0) {
        takeBack(left)
        throw stillRunning(left)
      }
      return missions.map(({ id }) => id)
    })
    if (json) context.out.line(JSON.stringify(ids.map(id => ({ id, archived: true }))))
    return 0
  },
})

function mark(
  db: Database,
  missions: readonly MissionRecord[],
  change: Pick<MissionChange, 'archived_at'>,
  event: string,
  at: string,
): void {
  db.transaction(() => {
    for (const { id } of missions) {
      updateMission(db, id, change)
      recordEvent(db, id, at, event)
    }
  }).immediate()
}
