import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { withStore } from '../db/with-store.ts'
import { ExitCode, isCancelled } from '../errors.ts'
import { windowLabels } from '../mission/naming.ts'
import { missionService } from '../mission/open-service.ts'
import { requireTerminal } from '../surface/terminal.ts'
import { formatIdentity, ownIdentity, type ProcessIdentity, systemProbe } from '../system/process-identity.ts'
import {
  type CurrentWindow,
  currentWindow,
  type OpenCurrentWindow,
  openCurrentWindow,
} from '../tmux/current-window.ts'
import { returnClientsOfLastPane } from '../tmux/return-clients.ts'
import { becomeMission, openWindowFrom } from '../tmux/windows.ts'
import { reserveLease } from './lease.ts'

/** Where a mission will run: in a new window, in this process's own window, or in this terminal. */
export type Destination =
  | { kind: 'new-window'; from: OpenCurrentWindow }
  | { kind: 'this-window'; here: CurrentWindow }
  | { kind: 'terminal' }

/** Call it before anything is created, because it throws if there is no terminal. */
export async function destinationFor(
  context: Context,
  { stdinIsPrompt = false, here: wantsThisWindow = false } = {},
): Promise<Destination> {
  if (wantsThisWindow) {
    const here = currentWindow(context)
    if (here) return { kind: 'this-window', here }
  } else {
    const from = await openCurrentWindow(context)
    if (from) return { kind: 'new-window', from }
  }
  requireTerminal(context, { stdinIsPrompt })
  return { kind: 'terminal' }
}

/**
 * Resolves to the exit code: at once for a new window, otherwise when Claude has ended. `db` saves opening the store for a
 * new window.
 */
export async function launchMission(
  context: Context,
  destination: Destination,
  mission: MissionRecord,
  { focus = true, db }: { focus?: boolean; db?: Database } = {},
): Promise<number> {
  switch (destination.kind) {
    case 'new-window': {
      const open = (store: Database) => openMissionWindow(context, store, destination.from, mission, focus)
      await (db ? open(db) : withStore(context, open))
      return ExitCode.ok
    }
    case 'this-window':
      destination.here.tmux.tell(...becomeMission(context.env.TMUX_PANE ?? '', windowLabels(mission), null))
      return runMissionHere(context, mission)
    case 'terminal':
      return runMissionHere(context, mission)
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
      directory: context.paths.mission(mission.id).agent,
      command,
      environment: wrapperEnvironment(mission, parent),
      parent,
      after: from.window,
      focus,
      hasCrashed: mission.wrapper_pid !== null,
    })
    return opened.pid
  })
}

/**
 * Reserves the mission for the wrapper that `start` starts, so that no other process starts one too. `start` resolves to
 * the wrapper's pid.
 */
export async function startReserved(
  context: Context,
  db: Database,
  mission: MissionRecord,
  start: (wrapperCommand: readonly string[]) => Promise<number>,
): Promise<void> {
  const probe = systemProbe(context.exec)
  const self = ownIdentity(probe)
  const reservation = reserveLease(missionService(context, db), mission.id, self, probe, context.now())
  try {
    const wrapper = probe.identify(await start(wrapperCommand(context, mission, self)))
    if (wrapper !== null) reservation.passTo(wrapper)
  } catch (error) {
    reservation.cancel()
    throw error
  }
}

/** A wrapper mostly waits, so one V8 worker thread is enough. Node would start four. */
const fewThreads = '--v8-pool-size=1'

/** Closes the moment before bin/agenc.cjs runs, in which a signal opens Node's debugger. Older Nodes lack the option. */
const noDebugger = '--disable-sigusr1'

export function wrapperCommand(
  { self: [node, ...script] }: Pick<Context, 'self'>,
  { id }: Pick<MissionRecord, 'id'>,
  opener: ProcessIdentity | null = null,
): string[] {
  const openedBy = opener === null ? [] : ['--opened-by', formatIdentity(opener)]
  const hasOption = process.allowedNodeEnvironmentFlags.has(noDebugger)
  return [
    node!,
    fewThreads,
    ...(hasOption ? [noDebugger] : []),
    ...script,
    'mission',
    '_run-wrapper',
    id,
    ...openedBy,
  ]
}

export function wrapperEnvironment({ id }: MissionRecord, parent: string | null): Record<string, string> {
  return { AGENC_MISSION_UUID: id, ...(parent === null ? {} : { AGENC_PARENT_WINDOW: parent }) }
}

async function runMissionHere(context: Context, { id }: MissionRecord): Promise<number> {
  const { runHere } = await import('./run-here.ts')
  return runHere(context, id)
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
