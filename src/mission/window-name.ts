import type { Context } from '../context.ts'
import { tmuxOf } from '../tmux/server.ts'
import { missionWindows, renameMissionWindow, showChanges } from '../tmux/windows.ts'
import { statusNow } from './mission-status.ts'
import { windowLabels } from './naming.ts'
import type { MissionService, Subscriber } from './service.ts'

/** Keeps the name of a running mission's window, and what the switcher shows of its changes. */
export function windowNames(
  context: Context,
  missions: Pick<MissionService, 'get'>,
  warn: (message: string) => void,
): Subscriber {
  return ({ id, change }) => {
    const mission = 'name' in change || 'changes' in change ? missions.get(id) : undefined
    if (!mission || statusNow(context, mission) !== 'running') return
    const tmux = tmuxOf(context)
    const windows = missionWindows(tmux)
    const window = windows?.get(id)
    // A mission that runs outside the session has no window.
    if (windows && !window) return
    const labels = windowLabels(mission)
    const commands = 'name' in change ? renameMissionWindow : showChanges
    if (window && tmux.ask(...commands(window, labels)).kind === 'ok') return
    if ('name' in change) warn('tmux did not answer, so the window keeps its old name.')
  }
}
