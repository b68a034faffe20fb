import { defineCommand, jsonOption } from '../../cli/command.ts'
import { openConfiguredEditor } from '../../editor/open-editor.ts'
import type { MissionJson } from '../../mission/mission-json.ts'
import { missionNow } from '../../mission/mission-now.ts'

export default defineCommand<{ mission?: string; json?: boolean }>({
  description:
    "Open a mission's directory in the configured editor. The command returns at once; the editor stays open.",
  arguments: [
    {
      name: 'mission',
      description: "its name or id (the start is enough), or '.' (default: pick from a list)",
    },
  ],
  options: [jsonOption],
  examples: ['agenc mission open 3f2a', 'agenc config set editor.name zed'],
  async run(context, { mission: word, json }) {
    const mission = await missionNow(context, word)
    const editor = await openConfiguredEditor(context, mission.dir)
    const next = nextCommand(mission)
    if (json) context.out.line(JSON.stringify({ id: mission.id, dir: mission.dir, editor, next }))
    else {
      context.err.line(`Opened ${editor} at ${mission.dir}`)
      const tip = mission.status === 'running' ? 'It is running; go to it with' : 'Start Claude there with'
      context.err.line(`${tip}: ${next}`)
    }
    return 0
  },
})

/** The command that, typed in the editor's terminal, leads to the mission. */
function nextCommand(mission: MissionJson): string {
  const runsWithoutTmux = mission.status === 'running' && mission.tmux_window === null
  return `agenc mission ${runsWithoutTmux ? 'focus' : 'resume'} ${mission.short_id}`
}
