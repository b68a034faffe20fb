import { defineCommand, jsonOption } from '../../cli/command.ts'
import { listMissionsNow } from '../../mission/list.ts'
import type { MissionJson } from '../../mission/mission-json.ts'
import { currentWindow, type WindowId } from '../../tmux/current-window.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { goToWindow, unseenWindows } from '../../tmux/windows.ts'

export default defineCommand<{ json?: boolean }>({
  description:
    'Go to the mission that has waited for you longest. Run it again to go to the next one, and after all of these to missions that have finished since you last looked.',
  options: [jsonOption],
  examples: ['agenc tmux next'],
  async run(context, { json }) {
    const missions = await listMissionsNow(context, { needsWindows: true })
    const tmux = tmuxOf(context)
    const next = nextMission(missions, unseenWindows(tmux), currentWindow(context)?.window ?? null)
    if (json) context.out.line(JSON.stringify(next))
    if (next === null) {
      context.err.line('No mission is waiting for you, and none has finished since you looked.')
      return 0
    }
    goToWindow(context, tmux, next.tmux_window as WindowId)
    return 0
  },
})

/** Cycles through the waiting missions, longest wait first, and then through those that have finished unseen. */
export function nextMission(
  missions: readonly MissionJson[],
  unseen: readonly string[],
  here: string | null,
): MissionJson | null {
  const withWindow = missions.filter(({ tmux_window }) => tmux_window !== null)
  const waiting = withWindow
    .filter(({ state }) => state === 'waiting')
    .sort((a, b) => (a.waiting_since ?? '').localeCompare(b.waiting_since ?? ''))
  const finished = withWindow
    .filter(({ state, tmux_window }) => state === 'idle' && unseen.includes(tmux_window!))
    .sort((a, b) => a.last_active_at.localeCompare(b.last_active_at))
  const all = [...waiting, ...finished]
  const index = all.findIndex(mission => mission.tmux_window === here)
  return all[(index + 1) % all.length] ?? null
}
