import { defineCommand, jsonOption } from '../../cli/command.ts'
import { desktopOf } from '../../editor/desktop.ts'
import { askMissionWindow, warnIfUncertain } from '../../editor/window-actions.ts'
import { missionNow } from '../../mission/mission-now.ts'
import { tmuxClients } from '../../tmux/clients.ts'

export default defineCommand<{ mission?: string; json?: boolean }>({
  description:
    'Ask the window that shows a mission to close. Its program may ask you to confirm. Does nothing if no window shows the mission.',
  arguments: [
    {
      name: 'mission',
      description: "its name or id (the start is enough), or '.' (default: pick from a list)",
    },
  ],
  options: [jsonOption],
  examples: ['agenc mission close-editor 3f2a'],
  async run(context, { mission: word, json }) {
    const mission = await missionNow(context, word)
    const desktop = desktopOf(context, tmuxClients(context))
    const { window, presence } = askMissionWindow(desktop, mission, 'close')
    warnIfUncertain(context, desktop, mission, presence)
    if (json) context.out.line(JSON.stringify({ id: mission.id, window_id: window?.id ?? null }))
    else if (window) context.err.line(`Asked ${window.program} to close window ${window.id}.`)
    return 0
  },
})
