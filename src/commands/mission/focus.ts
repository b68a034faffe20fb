import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import { focusWindow } from '../../editor/window-actions.ts'
import { isAgencError } from '../../errors.ts'
import type { MissionJson } from '../../mission/mission-json.ts'
import { callerOn, type WindowId } from '../../tmux/current-window.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { bringToFront } from '../../tmux/windows.ts'
import { askWindow } from '../editor/act.ts'
import { openMissionEditor } from '../editor/open-for-mission.ts'
import { missionNamed } from '../editor/sight-missions.ts'

export default defineCommand<{ mission?: string; json?: boolean }>({
  description:
    'Bring a mission to the front: its tmux window, and the desktop window that shows it. If no window shows it, open the editor.',
  arguments: [{ name: 'mission', description: "its id, a prefix of it, or '.' (default: pick from a list)" }],
  options: [jsonOption],
  examples: ['agenc mission focus 3f2a'],
  async run(context, { mission: word, json }) {
    const mission = await missionNamed(context, word)
    const isSelected = await selectTmuxWindow(context, mission)
    const raised = askWindow(context, mission, 'raise', focusWindow)
    const opened = raised ? null : await openInstead(context, mission, isSelected)
    if (json) {
      const { id, tmux_window } = mission
      context.out.line(JSON.stringify({ id, tmux_window, window_id: raised?.id ?? null, opened }))
    } else if (opened)
      context.err.line(`No window was found that shows ${mission.short_id}: opened ${opened}`)
    return 0
  },
})

async function selectTmuxWindow(context: Context, { tmux_window }: MissionJson): Promise<boolean> {
  if (tmux_window === null) return false
  const tmux = tmuxOf(context)
  try {
    await bringToFront(tmux, tmux_window as WindowId, callerOn(tmux, context.env))
    return true
  } catch (error) {
    warn(context, error)
    return false
  }
}

/** With its tmux window in front already, a mission is in view even where no editor is installed. */
async function openInstead(
  context: Context,
  mission: MissionJson,
  isSelected: boolean,
): Promise<string | null> {
  try {
    return await openMissionEditor(context, mission)
  } catch (error) {
    if (!isSelected) throw error
    warn(context, error)
    return null
  }
}

function warn({ err }: Context, error: unknown): void {
  if (!isAgencError(error)) throw error
  err.line(`agenc: ${error.message}`)
}
