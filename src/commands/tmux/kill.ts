import { defineCommand } from '../../cli/command.ts'
import { type Context, withChanges } from '../../context.ts'
import { listHeldMissions } from '../../db/missions.ts'
import { withStore } from '../../db/with-store.ts'
import { statusesOf } from '../../mission/list.ts'
import { startDetached } from '../../system/runner.ts'
import { announce } from '../../tmux/announce.ts'
import { placeInSession, sessionTarget } from '../../tmux/current-window.ts'
import { type OpenSession, openSession } from '../../tmux/open-session.ts'
import { cannotBeAsked, contextOfSession, type Session } from '../../tmux/session.ts'
import { markClosed } from '../../tmux/session-closed-marker.ts'
import { stillRunning, stopMissions } from '../../wrapper/stop-missions.ts'

export default defineCommand<{ apart?: boolean }>({
  description: 'Stop every mission that has a window, then end the agenc session. Conversations stay.',
  options: [{ flags: '--apart', description: 'for agenc itself', hidden: true }],
  examples: ['agenc tmux kill'],
  async run(context, { apart }) {
    if (!apart && placeInSession(context)) {
      // What it ends includes itself here: a process that nothing in the session owns does it instead.
      startDetached(context.exec, [...context.self, 'tmux', 'kill', '--apart'], context.env)
      return 0
    }
    const session = await openSession(context)
    const { tmux, state } = session
    if (state.kind === 'unknown') throw cannotBeAsked(state)
    if (state.kind === 'none') {
      if (!apart) context.err.line('There is no agenc session.')
      return 0
    }
    try {
      await end(contextOfSession(context, state), session, state)
    } catch (error) {
      if (apart) announce(tmux, state.clients, `agenc: ${(error as Error).message}`)
      throw error
    }
    return 0
  },
})

async function end(context: Context, { tmux, release }: OpenSession, { windows }: Session): Promise<void> {
  let problem: unknown
  const { left, closing } = await withStore(context, async db => {
    const missions = listHeldMissions(db).filter(({ id }) => windows.has(id))
    const statuses = statusesOf(context, missions)
    const running = missions.filter((_, index) => statuses[index] === 'running')
    markClosed(context.paths)
    await release().catch(error => {
      problem = error
    })
    const outside = withChanges(context, { env: { ...context.env, AGENC_MISSION_UUID: undefined } })
    const left = await stopMissions(outside, db, running)
    // tmux closes what is left while the store is closed.
    return { left, closing: tmux.openCall(['kill-session', '-t', sessionTarget]) }
  })
  await (await closing).goOn()
  if (left.length > 0) throw stillRunning(left)
  // Keys that tmux does not take back keep nothing from ending.
  if (problem !== undefined) throw problem
}
