import { defineCommand, jsonOption } from '../../cli/command.ts'
import type { Context } from '../../context.ts'
import { desktopOf } from '../../editor/desktop.ts'
import { openConfiguredEditor } from '../../editor/open-editor.ts'
import { askMissionWindow, warnIfUncertain } from '../../editor/window-actions.ts'
import { AgencError, isAgencError } from '../../errors.ts'
import type { MissionJson } from '../../mission/mission-json.ts'
import { missionNow } from '../../mission/mission-now.ts'
import { tmuxClients } from '../../tmux/clients.ts'
import { callerOn, type WindowId } from '../../tmux/current-window.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { bringToFront } from '../../tmux/windows.ts'

export default defineCommand<{ mission?: string; json?: boolean }>({
  description:
    'Bring a mission to the front: its tmux window, and the desktop window that shows it. If no window shows it, open the editor.',
  arguments: [
    {
      name: 'mission',
      description: "its name or id (the start is enough), or '.' (default: pick from a list)",
    },
  ],
  options: [jsonOption],
  examples: ['agenc mission focus 3f2a'],
  async run(context, { mission: word, json }) {
    const mission = await missionNow(context, word)
    if (mission.headless && mission.status === 'running') throw hasNoWindow(mission)
    const isSelected = await selectTmuxWindow(context, mission)
    const desktop = desktopOf(context, tmuxClients(context))
    const { window, presence } = askMissionWindow(desktop, mission, 'focus')
    // A client that is attached shows the tmux window now, even if no desktop window was found.
    const isInView = isSelected && presence.presence !== 'detached'
    if (!isInView) warnIfUncertain(context, desktop, mission, presence)
    const opened = window ? null : await openInstead(context, mission, isSelected, isInView)
    if (json) {
      const { id, tmux_window } = mission
      context.out.line(JSON.stringify({ id, tmux_window, window_id: window?.id ?? null, opened }))
    } else if (opened) context.err.line(`No window shows ${mission.short_id}: opened ${opened} instead.`)
    return 0
  },
})

function hasNoWindow({ short_id }: MissionJson): AgencError {
  return new AgencError(
    `${short_id} runs without a terminal, so it has no window`,
    `Follow it with 'agenc mission print --follow ${short_id}', or open it in a window with 'agenc mission resume ${short_id}'.`,
  )
}

async function selectTmuxWindow(context: Context, { tmux_window }: MissionJson): Promise<boolean> {
  if (tmux_window === null) return false
  const tmux = tmuxOf(context)
  try {
    bringToFront(tmux, tmux_window as WindowId, callerOn(tmux, context.env))
    return true
  } catch (error) {
    warn(context, error)
    return false
  }
}

/** A mission whose tmux window was selected has been focused, even if no editor can be opened. */
async function openInstead(
  context: Context,
  mission: MissionJson,
  isSelected: boolean,
  isInView: boolean,
): Promise<string | null> {
  try {
    return await openConfiguredEditor(context, mission.dir)
  } catch (error) {
    if (!isSelected) throw error
    if (!isInView || !isAgencError(error)) warn(context, error)
    return null
  }
}

function warn({ err }: Context, error: unknown): void {
  if (!isAgencError(error)) throw error
  err.line(`agenc: ${error.message}`)
}
