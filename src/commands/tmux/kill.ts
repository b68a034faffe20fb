import { defineCommand, quietOption } from '../../cli/command.ts'
import { type Context, isInteractive, withChanges } from '../../context.ts'
import { listHeldMissions, type MissionRecord } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { readStore, withStore } from '../../db/with-store.ts'
import { Cancelled } from '../../errors.ts'
import { confirm } from '../../io/prompt.ts'
import { describeKilled, listed } from '../../mission/describe-killed.ts'
import { statusesOf } from '../../mission/mission-status.ts'
import { startDetached } from '../../system/runner.ts'
import { announce } from '../../tmux/announce.ts'
import { currentWindow, sessionTarget } from '../../tmux/current-window.ts'
import { contextOfSession, findSession, releaseSession, type Session } from '../../tmux/session.ts'
import { markClosed } from '../../tmux/session-closed-marker.ts'
import type { Tmux } from '../../tmux/tmux.ts'
import { cannotBeAsked } from '../../tmux/tmux-answer.ts'
import { rememberKilled } from '../../wrapper/restore-missions.ts'
import { stillRunning, stopMissions } from '../../wrapper/stop-missions.ts'

export default defineCommand<{ yes?: boolean; detached?: boolean }>({
  description:
    "Stop every mission that has a window, then end the agenc session. Conversations are kept, and 'agenc tmux restore' brings the missions back. On a terminal, asks first if missions are running.",
  options: [
    { flags: '-y, --yes', description: 'do not ask for confirmation' },
    quietOption,
    { flags: '--detached', description: 'for internal use', hidden: true },
  ],
  examples: ['agenc tmux kill', 'agenc tmux kill --yes'],
  async run(context, { yes, detached }) {
    const { tmux, state } = findSession(context)
    if (state.kind === 'unknown') throw cannotBeAsked(state)
    if (state.kind === 'none') {
      if (!detached) context.err.line('There is no agenc session.')
      return 0
    }
    const session = contextOfSession(context, state)
    if (!yes && !detached && isInteractive(context)) await askFirst(session, state)
    if (!detached && currentWindow(context)) {
      // This process would end together with the session, so a process outside of it does the work.
      startDetached(context.exec, [...context.self, 'tmux', 'kill', '--detached'], context.env)
      return 0
    }
    try {
      const ended = await endSession(session, tmux, state)
      if (context.err.isTerminal) context.err.line(describeKilled(ended))
    } catch (error) {
      if (detached) announce(tmux, state.clients, `agenc: ${(error as Error).message}`)
      throw error
    }
    return 0
  },
})

/** "No" throws `Cancelled`. */
async function askFirst(context: Context, session: Session): Promise<void> {
  const running = await readStore(context, db => (db ? runningIn(context, db, session) : []))
  if (running.length === 0) return
  const names = listed(running)
  const question =
    running.length === 1
      ? `${names} is running. Stop it and end the session?`
      : `${running.length} missions are running: ${names}. Stop them and end the session?`
  if (!(await confirm(context, question, false))) throw new Cancelled()
}

function runningIn(context: Context, db: Database, { windows }: Session): MissionRecord[] {
  const missions = listHeldMissions(db).filter(({ id }) => windows.has(id))
  const statuses = statusesOf(context, missions)
  return missions.filter((_, index) => statuses[index] === 'running')
}

/** Resolves to the missions that it has stopped. */
async function endSession(context: Context, tmux: Tmux, session: Session): Promise<MissionRecord[]> {
  let problem: Error | null = null
  const { running, left } = await withStore(context, async db => {
    const running = runningIn(context, db, session)
    markClosed(context.paths)
    problem = problemOf(() => releaseSession(tmux, session))
    const outside = withChanges(context, { env: { ...context.env, AGENC_MISSION_UUID: undefined } })
    const spare = rememberKilled(context, db, running)
    const left = await stopMissions(outside, db, running)
    spare(left)
    return { running, left }
  })
  tmux.ask(['kill-session', '-t', sessionTarget])
  if (left.length > 0) throw stillRunning(left)
  // If tmux refuses to restore the keys, the session ends anyway.
  if (problem !== null) throw problem
  return running
}

function problemOf(work: () => void): Error | null {
  try {
    work()
    return null
  } catch (error) {
    return error as Error
  }
}
