import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { missionService } from '../mission/open-service.ts'
import { formatIdentity, ownIdentity, type ProcessIdentity, systemProbe } from '../system/process-identity.ts'
import { reserveLease } from './lease.ts'

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
