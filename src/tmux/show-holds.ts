import type { Context } from '../context.ts'
import type { MissionId } from '../mission-id.ts'
import { tmuxOf } from './server.ts'
import { askForSession } from './session.ts'
import { showHold } from './status-bar.ts'
import type { TmuxCommand } from './tmux.ts'

/** Shows in the status line for which missions automatic approvals are paused. */
export function showHolds(
  context: Context,
  { all, missions }: { all: boolean; missions: readonly MissionId[] },
): void {
  const tmux = tmuxOf(context)
  const session = askForSession(tmux)
  if (session.kind !== 'there' || session.home !== context.paths.home) return
  const held = new Set(missions)
  const windows = [...session.windows].map(([mission, window]) => showMissionHold(window, held.has(mission)))
  tmux.ask(showHold(all), ...windows)
}

export function showMissionHold(window: string, isHeld: boolean): TmuxCommand {
  const option = ['-t', window, '@agenc_hold']
  return isHeld ? ['set-option', '-w', ...option, '1'] : ['set-option', '-wu', ...option]
}
