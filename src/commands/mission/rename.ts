import { defineCommand, jsonOption, quietOption } from '../../cli/command.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { withStore } from '../../db/with-store.ts'
import { cleanText } from '../../io/text.ts'
import { chooseMission } from '../../mission/choose.ts'
import { missionName } from '../../mission/naming.ts'
import { missionService } from '../../mission/open-service.ts'
import { tell } from '../../mission/tell-done.ts'
import { shortId } from '../../mission-id.ts'

export default defineCommand<{ mission: string; name: string; json?: boolean }>({
  arguments: [
    { name: 'mission', description: "its name or id (the start is enough), or '.'", required: true },
    { name: 'name', description: "its new name ('' removes the name)", required: true },
  ],
  options: [quietOption, jsonOption],
  examples: ['agenc mission rename 3f2a "fix the login"'],
  async run(context, { mission: word, name: text, json }) {
    const name = missionName(text)
    const mission = await withStore(context, async db => {
      const chosen = await chooseMission(context, db, word, { title: 'Rename a mission' })
      missionService(context, db).change(chosen.id, { name }, ['renamed', { name }])
      return chosen
    })
    if (json) context.out.line(JSON.stringify({ id: mission.id, name }))
    else tell(context, outcome(mission, name))
    return 0
  },
})

function outcome({ id, name: before }: MissionRecord, name: string | null): string {
  if (name === null) return `${shortId(id)} has no name now.`
  const from = before === null ? '' : ` from ${JSON.stringify(cleanText(before))}`
  return `Renamed ${shortId(id)}${from} to ${JSON.stringify(name)}.`
}
