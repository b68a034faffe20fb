import { defineCommand } from '../../cli/command.ts'
import { type Context, withChanges } from '../../context.ts'
import { listHeldMissions } from '../../db/missions.ts'
import { withStore } from '../../db/with-store.ts'
import { statusesOf } from '../../mission/mission-status.ts'
import { startDetached } from '../../system/runner.ts'
import { announce } from '../../tmux/announce.ts'
import { currentWindow, sessionTarget } from '../../tmux/current-window.ts'
import { contextOfSession, findSession, releaseSession, type Session } from '../../tmux/session.ts'
import { markClosed } from '../../tmux/session-closed-marker.ts'
import type { Tmux } from '../../tmux/tmux.ts'
import { cannotBeAsked } from '../../tmux/tmux-answer.ts'
import { stillRunning, stopMissions } from '../../wrapper/stop-missions.ts'

export default defineCommand<{ detached?: boolean }>({
  description: 'Stop every mission that has a window, then end the agenc session. Conversations are kept.',
  options: [{ flags: '--detached', description: 'for internal use', hidden: true }],
  examples: ['agenc tmux kill'],
  async run(context, { detached }) {
    if (!detached && currentWindow(context)) {
      // This process would end together with the session, so a process outside of it does the work.
      startDetached(context.exec, [...context.self, 'tmux', 'kill', '--detached'], context.env)
      return 0
    }
    const { tmux, state } = findSession(context)
    if (state.kind === 'unknown') throw cannotBeAsked(state)
    if (state.kind === 'none') {
      if (!detached) context.err.line('There is no agenc session.')
      return 0
    }
    try {
      await endSession(contextOfSession(context, state), tmux, state)
    } catch (error) {
      if (detached) announce(tmux, state.clients, `agenc: ${(error as Error).message}`)
      throw error
    }
    return 0
  },
})

async function endSession(context: Context, tmux: Tmux, session: Session): Promise<void> {
  let problem: Error | null = null
  const left = await withStore(context, db => {
    const missions = listHeldMissions(db).filter(({ id }) => session.windows.has(id))
    const statuses = statusesOf(context, missions)
    const running = missions.filter((_, index) => statuses[index] === 'running')
    markClosed(context.paths)
    problem = problemOf(() => releaseSession(tmux, session))
    const outside = withChanges(context, { env: { ...context.env, AGENC_MISSION_UUID: undefined } })
    return stopMissions(outside, db, running)
  })
  tmux.ask(['kill-session', '-t', sessionTarget])
  if (left.length > 0) throw stillRunning(left)
  // If tmux refuses to restore the keys, the session ends anyway.
  if (problem !== null) throw problem
}

function problemOf(work: () => void): Error | null {
  try {
    work()
    return null
  } catch (error) {
    return error as Error
  }
}
