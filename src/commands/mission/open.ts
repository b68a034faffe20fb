import { defineCommand, jsonOption } from '../../cli/command.ts'
import { openMissionEditor, wayIn } from '../editor/open-for-mission.ts'
import { missionNamed } from '../editor/sight-missions.ts'

export default defineCommand<{ mission?: string; json?: boolean }>({
  description:
    "Open a mission's directory in the configured editor. The command returns at once; the editor stays open.",
  arguments: [{ name: 'mission', description: "its id, a prefix of it, or '.' (default: pick from a list)" }],
  options: [jsonOption],
  examples: ['agenc mission open 3f2a', 'agenc config set editor.name zed'],
  async run(context, { mission: word, json }) {
    const mission = await missionNamed(context, word)
    const editor = await openMissionEditor(context, mission)
    const next = wayIn(mission)
    if (json) context.out.line(JSON.stringify({ id: mission.id, dir: mission.dir, editor, next }))
    else {
      context.err.line(`Opened ${editor} at ${mission.dir}`)
      const tip = mission.status === 'running' ? 'It is running; go to it with' : 'Start Claude there with'
      context.err.line(`${tip}: ${next}`)
    }
    return 0
  },
})
