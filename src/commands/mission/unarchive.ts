import { defineCommand, jsonOption } from '../../cli/command.ts'
import { recordEvent } from '../../db/events.ts'
import { updateMission } from '../../db/missions.ts'
import { withStore } from '../../db/with-store.ts'
import { chooseMissions } from '../../mission/choose.ts'

export default defineCommand<{ missions: string[]; json?: boolean }>({
  arguments: [{ name: 'missions', description: 'their ids, or prefixes of them', variadic: true }],
  options: [jsonOption],
  examples: ['agenc mission unarchive 3f2a'],
  async run(context, { missions: words, json }) {
    const ids = await withStore(context, async db => {
      const missions = await chooseMissions(context, db, words)
      db.transaction(() => {
        for (const { id } of missions.filter(mission => mission.archived_at !== null)) {
          updateMission(db, id, { archived_at: null })
          recordEvent(db, id, context.now().toISOString(), 'unarchived')
        }
      }).immediate()
      return missions.map(({ id }) => id)
    })
    if (json) context.out.line(JSON.stringify(ids.map(id => ({ id, archived: false }))))
    return 0
  },
})
