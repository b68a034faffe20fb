import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { AgencError, usageError } from '../errors.ts'
import { startDirectory } from '../mission/mission-directory.ts'
import { windowLabels } from '../mission/naming.ts'
import { hasTerminal } from '../surface/terminal.ts'
import { configureSession } from '../tmux/configure.ts'
import { sessionTarget } from '../tmux/current-window.ts'
import { adoptServer } from '../tmux/server.ts'
import { askForSession, createSession, findSession, type Session } from '../tmux/session.ts'
import type { Tmux } from '../tmux/tmux.ts'
import { cannotBeAsked } from '../tmux/tmux-answer.ts'
import { requireTmux } from '../tmux/tmux-version.ts'
import { becomeMission, openWindow } from '../tmux/windows.ts'
import { wrapperEnvironment } from './mission-environment.ts'

/**
 * Opens the mission's window at the end of the agenc session. If there is no session, the window becomes its first one.
 * Resolves to the pid of the window's program.
 */
export async function openInSession(
  context: Context,
  tmux: Tmux,
  mission: MissionRecord,
  command: readonly string[],
  { focus = false, isOld = true } = {},
): Promise<number> {
  const { self, paths } = context
  const environment = wrapperEnvironment(mission, null)
  const labels = windowLabels(mission)
  const window = { labels, directory: startDirectory(paths, mission), command, environment, self }
  if (askForSession(tmux).kind === 'there')
    return openWindow(tmux, { ...window, parent: null, after: null, focus, isOld }).pid
  const first = { name: mission.id, directory: window.directory, command, environment }
  if (
    !createSession(context, tmux, first, ...becomeMission(`${sessionTarget}:`, { ...window, parent: null }))
  )
    return openInSession(context, tmux, mission, command, { focus, isOld })
  const [pid] = tmux.tell(['display-message', '-p', '-t', `${sessionTarget}:`, '#{pane_pid}'])
  const found = adoptServer(context, tmux)
  if (found) configureSession(context, found, (await readConfig(paths)).tmux)
  return Number(pid)
}

/** The server of the session, for a process outside of it. */
export function sessionFor(context: Context, mayCreate: boolean): Tmux {
  requireTmux(context.exec, context.env)
  const { tmux, state } = findSession(context)
  if (state.kind === 'unknown') throw cannotBeAsked(state)
  if (state.kind === 'there') refuseOtherHome(context, state)
  else if (!mayCreate)
    throw usageError(
      `${hasTerminal(context) ? 'There' : 'Not a terminal, and there'} is no agenc session to open a window in.`,
      "Create one with --detach, or with 'agenc tmux attach' in a terminal.",
    )
  return tmux
}

/** A window of the session has the session's home, and would not find the mission. */
function refuseOtherHome({ paths }: Context, { home }: Session): void {
  if (home === null || home === paths.home) return
  throw new AgencError(
    `the agenc session uses ${home}, not ${paths.home}`,
    `Run the command with AGENC_DIRPATH=${home}, or end that session with: agenc tmux kill`,
  )
}
