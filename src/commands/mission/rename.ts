import { defineCommand, jsonOption } from '../../cli/command.ts'
import { withStore } from '../../db/with-store.ts'
import { chooseMission } from '../../mission/choose.ts'
import { missionName } from '../../mission/naming.ts'
import { missionService } from '../../mission/open-service.ts'

export default defineCommand<{ mission: string; name: string; json?: boolean }>({
  arguments: [
    { name: 'mission', description: "its name or id (the start is enough), or '.'", required: true },
    { name: 'name', description: "its new name ('' removes the name)", required: true },
  ],
  options: [jsonOption],
  examples: ['agenc mission rename 3f2a "fix the login"'],
  async run(context, { mission: word, name: text, json }) {
    const name = missionName(text)
    const mission = await withStore(context, async db => {
      const chosen = await chooseMission(context, db, word)
      missionService(context, db).change(chosen.id, { name }, ['renamed', { name }])
      return chosen
    })
    if (json) context.out.line(JSON.stringify({ id: mission.id, name }))
    return 0
  },
})
