import type { Context } from '../context.ts'
import { tmuxOf } from '../tmux/server.ts'
import { missionWindows, renameMissionWindow } from '../tmux/windows.ts'
import { statusNow } from './mission-status.ts'
import { windowLabels } from './naming.ts'
import type { MissionService, Subscriber } from './service.ts'

/** Renames the window of a running mission when the mission is renamed. */
export function windowNames(
  context: Context,
  missions: Pick<MissionService, 'get'>,
  warn: (message: string) => void,
): Subscriber {
  return ({ id, change }) => {
    const mission = 'name' in change ? missions.get(id) : undefined
    if (!mission || statusNow(context, mission) !== 'running') return
    const tmux = tmuxOf(context)
    const windows = missionWindows(tmux)
    const window = windows?.get(id)
    // A mission that runs outside the session has no window.
    if (windows && !window) return
    if (window && tmux.ask(...renameMissionWindow(window, windowLabels(mission))).kind === 'ok') return
    warn('tmux did not answer, so the window keeps its old name.')
  }
}
