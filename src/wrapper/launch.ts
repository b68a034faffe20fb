import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/mission-record.ts'
import { requireTerminal } from '../surface/require-terminal.ts'
import { enterSession, type OpenPlace, type Place, placeInSession } from '../tmux/current-window.ts'
import { becomeMission, openWindowAt } from '../tmux/windows.ts'

/** Where a mission will run: in a new window, in the window this process has to itself, or in this terminal. */
export type Destination =
  | { kind: 'new-window'; place: OpenPlace }
  | { kind: 'this-window'; place: Place }
  | { kind: 'terminal' }

/** Decided before anything is created, so that "no terminal" leaves nothing behind. */
export async function destinationFor(
  context: Context,
  { stdinIsPrompt = false, here = false } = {},
): Promise<Destination> {
  if (here) {
    const place = placeInSession(context)
    if (place) return { kind: 'this-window', place }
  } else {
    const place = await enterSession(context)
    if (place) return { kind: 'new-window', place }
  }
  requireTerminal(context, { stdinIsPrompt })
  return { kind: 'terminal' }
}

/** Resolves to the exit code: at once for a new window, otherwise when Claude has ended. */
export async function launchMission(
  context: Context,
  destination: Destination,
  mission: MissionRecord,
  { focus = true } = {},
): Promise<number> {
  switch (destination.kind) {
    case 'new-window':
      await openMissionWindow(context, destination.place, mission, focus)
      return 0
    case 'this-window':
      destination.place.tmux.tell(...becomeMission(context.env.TMUX_PANE ?? '', mission, null))
      return runHere(context, mission)
    case 'terminal':
      return runHere(context, mission)
  }
}

/** After the window it was asked for from, which is also where its end leads back to, if the user was taken along. */
async function openMissionWindow(
  context: Context,
  place: OpenPlace,
  mission: MissionRecord,
  focus: boolean,
): Promise<void> {
  await openWindowAt(place, {
    mission,
    directory: context.paths.mission(mission.id).agent,
    command: wrapperCommand(context, mission),
    environment: wrapperEnvironment(mission, focus ? place.window : null),
    parent: focus ? place.window : null,
    after: place.window,
    focus,
    hasCrashed: mission.wrapper_pid !== null,
  })
}

/** One thread beside its own is enough for a wrapper, which waits for hours; Node would start four. */
const fewThreads = '--v8-pool-size=1'

export function wrapperCommand(
  { self: [node, ...script] }: Pick<Context, 'self'>,
  { id }: Pick<MissionRecord, 'id'>,
): string[] {
  return [node!, fewThreads, ...script, 'mission', '_run-wrapper', id]
}

export function wrapperEnvironment({ id }: MissionRecord, parent: string | null): Record<string, string> {
  return { AGENC_MISSION_UUID: id, ...(parent === null ? {} : { AGENC_PARENT_WINDOW: parent }) }
}

async function runHere(context: Context, { id }: MissionRecord): Promise<number> {
  const { runInTerminal } = await import('./in-terminal.ts')
  return runInTerminal(context, id)
}
