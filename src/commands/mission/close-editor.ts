import { defineCommand, jsonOption } from '../../cli/command.ts'
import { closeWindow } from '../../editor/window-actions.ts'
import { askWindow } from '../editor/act.ts'
import { missionNamed } from '../editor/sight-missions.ts'

export default defineCommand<{ mission?: string; json?: boolean }>({
  description:
    'Ask the window that shows a mission to close. Its program may ask you to confirm. Does nothing if no window shows the mission.',
  arguments: [{ name: 'mission', description: "its id, a prefix of it, or '.' (default: pick from a list)" }],
  options: [jsonOption],
  examples: ['agenc mission close-editor 3f2a'],
  async run(context, { mission: word, json }) {
    const mission = await missionNamed(context, word)
    const asked = askWindow(context, mission, 'close', closeWindow)
    if (json) context.out.line(JSON.stringify({ id: mission.id, window_id: asked?.id ?? null }))
    else if (asked) context.err.line(`Asked ${asked.program} to close window ${asked.id}.`)
    return 0
  },
})
