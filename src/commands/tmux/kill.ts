import { type Context, withChanges } from '../../context.ts'
import { listHeldMissions } from '../../db/missions.ts'
import { withStore } from '../../db/store.ts'
import { startApart } from '../../exec/apart.ts'
import type { MissionId } from '../../mission/id.ts'
import { statusesOf } from '../../roster/roster.ts'
import { markClosed } from '../../tmux/closed-mark.ts'
import { unconfigure } from '../../tmux/configure.ts'
import { placeInSession, sessionTarget, type WindowId } from '../../tmux/place.ts'
import { cannotBeAsked, contextOfSession, findSession } from '../../tmux/session.ts'
import { stopMissions } from '../../wrapper/stop.ts'
import { defineCommand } from '../command.ts'

export default defineCommand<{ apart?: boolean }>({
  description: 'Stop every mission that has a window, then end the agenc session. Conversations stay.',
  options: [{ flags: '--apart', description: 'for agenc itself', hidden: true }],
  examples: ['agenc tmux kill'],
  async run(context, { apart }) {
    if (!apart && (await placeInSession(context))) {
      // What it ends includes itself here: a process that nothing in the session owns does it instead.
      startApart(context.exec, [...context.self, 'tmux', 'kill', '--apart'], context.env)
      return 0
    }
    const { tmux, state } = findSession(context)
    if (state.kind === 'unknown') throw cannotBeAsked(state)
    if (state.kind === 'none') {
      if (!apart) context.err.line('There is no agenc session.')
      return 0
    }
    let problem: unknown
    await stopMissionsWithWindow(contextOfSession(context, state), state.windows, () => {
      try {
        unconfigure(context, tmux)
      } catch (error) {
        problem = error
      }
    })
    tmux.ask(['kill-session', '-t', sessionTarget])
    // Keys that tmux does not take back keep nothing from ending.
    if (problem !== undefined) throw problem
    return 0
  },
})

async function stopMissionsWithWindow(
  context: Context,
  windows: ReadonlyMap<MissionId, WindowId>,
  meanwhile: () => void,
): Promise<void> {
  await withStore(context, async db => {
    const missions = listHeldMissions(db).filter(({ id }) => windows.has(id))
    const statuses = statusesOf(context, missions)
    const running = missions.filter((_, index) => statuses[index] === 'running')
    markClosed(context.paths)
    await stopMissions(
      withChanges(context, { env: { ...context.env, AGENC_MISSION_UUID: undefined } }),
      db,
      running,
      meanwhile,
    )
  })
}
