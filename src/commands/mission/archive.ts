import { recordEvent } from '../../db/events.ts'
import { updateMission } from '../../db/missions.ts'
import { withStore } from '../../db/store.ts'
import { chooseMissions } from '../../roster/choose.ts'
import { stopMissions } from '../../wrapper/stop.ts'
import { defineCommand, jsonOption } from '../command.ts'

export default defineCommand<{ missions: string[]; json?: boolean }>({
  description:
    'Put missions away, running ones after stopping them: they keep their files and conversation, and leave the list.',
  arguments: [{ name: 'missions', description: 'ids, or prefixes of them', variadic: true }],
  options: [jsonOption],
  examples: ['agenc mission archive 3f2a 91bc'],
  async run(context, { missions: words, json }) {
    const ids = await withStore(context, async db => {
      const missions = await chooseMissions(context, db, words)
      const at = context.now().toISOString()
      db.transaction(() => {
        for (const { id } of missions.filter(mission => mission.archived_at === null)) {
          updateMission(db, id, { archived_at: at })
          recordEvent(db, id, at, 'archived')
        }
      }).immediate()
      await stopMissions(context, db, missions)
      return missions.map(({ id }) => id)
    })
    if (json) context.out.line(JSON.stringify(ids.map(id => ({ id, archived: true }))))
    return 0
  },
})
