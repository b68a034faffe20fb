import { defineCommand, jsonOption } from '../../cli/command.ts'
import { listMissionsNow } from '../../mission/list.ts'
import type { MissionJson } from '../../mission/mission-json.ts'
import { currentWindow, type WindowId } from '../../tmux/current-window.ts'
import { tmuxOf } from '../../tmux/server.ts'
import { goToWindow } from '../../tmux/windows.ts'

export default defineCommand<{ json?: boolean }>({
  description: 'Go to the mission that has waited for you longest. Run it again to go to the next one.',
  options: [jsonOption],
  examples: ['agenc tmux next'],
  async run(context, { json }) {
    const missions = await listMissionsNow(context, { needsWindows: true })
    const next = nextWaiting(missions, currentWindow(context)?.window ?? null)
    if (json) context.out.line(JSON.stringify(next))
    if (next === null) {
      context.err.line('No mission is waiting for you.')
      return 0
    }
    goToWindow(context, tmuxOf(context), next.tmux_window as WindowId)
    return 0
  },
})

/** Cycles through the waiting missions, longest wait first. */
export function nextWaiting(missions: readonly MissionJson[], here: string | null): MissionJson | null {
  const waiting = missions
    .filter(mission => mission.state === 'waiting' && mission.tmux_window !== null)
    .sort((a, b) => (a.waiting_since ?? '').localeCompare(b.waiting_since ?? ''))
  const index = waiting.findIndex(mission => mission.tmux_window === here)
  return waiting[(index + 1) % waiting.length] ?? null
}
