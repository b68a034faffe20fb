import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { withStore } from '../db/with-store.ts'
import { ExitCode, isCancelled } from '../errors.ts'
import { startDirectory } from '../mission/mission-directory.ts'
import { windowLabels } from '../mission/naming.ts'
import { hasTerminal } from '../surface/terminal.ts'
import {
  type CurrentWindow,
  currentWindow,
  type OpenCurrentWindow,
  openCurrentWindow,
} from '../tmux/current-window.ts'
import { returnClientsOfLastPane } from '../tmux/return-clients.ts'
import type { Tmux } from '../tmux/tmux.ts'
import { becomeMission, openWindowFrom } from '../tmux/windows.ts'
import { wrapperEnvironment } from './mission-environment.ts'
import { startReserved } from './start-reserved.ts'

/**
 * Where a mission will run: in a new window next to the current one, in the session from outside of it, in this process's
 * own window, in this terminal, or without a terminal.
 */
export type Destination =
  | { kind: 'new-window'; from: OpenCurrentWindow }
  | { kind: 'session'; tmux: Tmux }
  | { kind: 'this-window'; here: CurrentWindow }
  | { kind: 'terminal' }
  | { kind: 'nowhere' }

/** What the user asked for about the window. */
export interface WindowWish {
  /** Undefined if the user did not say. */
  focus?: boolean | undefined
  /** If there is no session, create one without showing it. */
  detach?: boolean | undefined
}

/** Call it before anything is created, because it throws if there is no place for the mission. */
export async function destinationFor(
  context: Context,
  { focus, detach }: WindowWish,
  { stdinIsPrompt = false, here: wantsThisWindow = false } = {},
): Promise<Destination> {
  if (wantsThisWindow) {
    const here = currentWindow(context)
    if (here) return { kind: 'this-window', here }
  } else {
    const from = await openCurrentWindow(context)
    if (from) return { kind: 'new-window', from }
  }
  if (!detach && focus !== false && hasTerminal(context, { stdinIsPrompt })) return { kind: 'terminal' }
  const { sessionFor } = await import('./open-in-session.ts')
  return { kind: 'session', tmux: sessionFor(context, detach ?? isAgent(context)) }
}

/** A script outside the session must not move the user to another window, and neither must an agent. */
function takesUserThere(context: Context, { kind }: Destination, { focus, detach }: WindowWish): boolean {
  return focus ?? (!detach && kind !== 'session' && !isAgent(context))
}

/** Whether an agent runs this command, rather than the user. */
export function isAgent({ env, stdin, out }: Context): boolean {
  if (env.CLAUDECODE) return true
  return Boolean(env.AGENC_MISSION_UUID) && !stdin.isTTY && !out.isTerminal
}

/**
 * Resolves to the exit code: at once for a new window, otherwise when Claude has ended. `db` saves opening the store for a
 * new window.
 */
export async function launchMission(
  context: Context,
  destination: Destination,
  mission: MissionRecord,
  { db, ...wish }: WindowWish & { db?: Database | undefined },
): Promise<number> {
  const isFocused = takesUserThere(context, destination, wish)
  switch (destination.kind) {
    case 'new-window': {
      const open = (store: Database) =>
        openMissionWindow(context, store, destination.from, mission, isFocused)
      await (db ? open(db) : withStore(context, open))
      return ExitCode.ok
    }
    case 'session': {
      const { tmux } = destination
      const { openInSession } = await import('./open-in-session.ts')
      const options = { focus: isFocused, isOld: hasRun(mission) }
      const open = (store: Database) =>
        startReserved(context, store, mission, command =>
          openInSession(context, tmux, mission, command, options),
        )
      await (db ? open(db) : withStore(context, open))
      if (context.err.isTerminal)
        context.err.line('Started in the agenc session. Go there with: agenc tmux attach')
      return ExitCode.ok
    }
    case 'this-window':
      destination.here.tmux.tell(
        ...becomeMission(context.env.TMUX_PANE ?? '', {
          labels: windowLabels(mission),
          parent: null,
          self: context.self,
          environment: wrapperEnvironment(mission, null),
        }),
      )
      return runMissionHere(context, mission)
    case 'terminal':
      return runMissionHere(context, mission)
    case 'nowhere': {
      const { startHeadless } = await import('./start-headless.ts')
      const start = (store: Database) => startHeadless(context, store, mission)
      await (db ? start(db) : withStore(context, start))
      return ExitCode.ok
    }
  }
}

/** Opens the window next to the current one. If the user is taken there, the end of the mission leads back. */
async function openMissionWindow(
  context: Context,
  db: Database,
  from: OpenCurrentWindow,
  mission: MissionRecord,
  focus: boolean,
): Promise<void> {
  const parent = focus ? from.window : null
  await startReserved(context, db, mission, async command => {
    const opened = await openWindowFrom(from, {
      labels: windowLabels(mission),
      directory: startDirectory(context.paths, mission),
      command,
      environment: wrapperEnvironment(mission, parent),
      parent,
      after: from.window,
      focus,
      self: context.self,
      isOld: hasRun(mission),
    })
    return opened.pid
  })
}

function hasRun({ wrapper_pid, exit_at }: MissionRecord): boolean {
  return wrapper_pid !== null || exit_at !== null
}

async function runMissionHere(context: Context, { id }: MissionRecord): Promise<number> {
  const { runHere } = await import('./run-here.ts')
  return runHere(context, id, { isOnTerminal: true })
}

/** Runs the command that starts the session's first mission. If it starts none, window and session close. */
export async function inFirstWindow(
  context: Context,
  { tmux }: CurrentWindow,
  start: () => Promise<number>,
): Promise<number> {
  try {
    return await start()
  } catch (error) {
    const exitCode = isCancelled(error) ? ExitCode.cancelled : await showErrorHere(context, error)
    returnClientsOfLastPane(tmux, context.env.TMUX_PANE ?? '')
    return exitCode
  }
}

async function showErrorHere(context: Context, error: unknown): Promise<number> {
  const { showError } = await import('../surface/error-screen.ts')
  return showError(context, error)
}
