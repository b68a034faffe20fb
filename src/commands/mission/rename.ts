import { recordEvent } from '../../db/events.ts'
import { updateMission } from '../../db/missions.ts'
import { withStore } from '../../db/store.ts'
import { missionName } from '../../mission/naming.ts'
import { chooseMission } from '../../roster/choose.ts'
import { defineCommand, jsonOption } from '../command.ts'

export default defineCommand<{ mission: string; name: string; json?: boolean }>({
  arguments: [
    { name: 'mission', description: "id, a prefix of it, or '.'", required: true },
    { name: 'name', description: "its new name; '' for none", required: true },
  ],
  options: [jsonOption],
  examples: ['agenc mission rename 3f2a "mend the login"'],
  async run(context, { mission: word, name: text, json }) {
    const name = missionName(text)
    const id = await withStore(context, async db => {
      const mission = await chooseMission(context, db, word)
      db.transaction(() => {
        updateMission(db, mission.id, { name })
        recordEvent(db, mission.id, context.now().toISOString(), 'renamed', { name })
      }).immediate()
      return mission.id
    })
    if (json) context.out.line(JSON.stringify({ id, name }))
    return 0
  },
})
