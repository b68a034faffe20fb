import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import { listAllPending, type PendingRequest } from '../db/approvals.ts'
import { listMissions, type MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { listAllPlans } from '../db/plans.ts'
import { readStore } from '../db/with-store.ts'
import type { MissionId } from '../mission-id.ts'
import type { WindowId } from '../tmux/current-window.ts'
import { tmuxOf } from '../tmux/server.ts'
import { missionWindows, windowsUnknown } from '../tmux/windows.ts'
import { type MissionJson, missionJson } from './mission-json.ts'
import { statusesOf } from './mission-status.ts'
import { withEnding } from './wrapper-note.ts'

/**
 * Lists the missions as they are now: the records of the store, combined with the running processes and tmux windows.
 * With `needsWindows`, a tmux that does not answer is an error.
 */
export async function listMissionsNow(
  context: Context,
  { archived = false, needsWindows = false } = {},
): Promise<MissionJson[]> {
  return readStore(context, db =>
    db ? describeMissions(context, db, listMissions(db, { archived }), { needsWindows }) : [],
  )
}

export async function describeMissions(
  context: Context,
  db: Database,
  stored: readonly MissionRecord[],
  { needsWindows = false } = {},
): Promise<MissionJson[]> {
  const missions = stored.map(mission => withEnding(context.paths, mission))
  const config = await readConfig(context.paths)
  const statuses = statusesOf(context, missions)
  const someRun = statuses.includes('running')
  const windows = someRun ? windowsNow(context, needsWindows) : null
  const plans = listAllPlans(db)
  const pending = someRun ? await withoutSecrets(listAllPending(db)) : new Map<MissionId, PendingRequest[]>()
  return missions.map((mission, index) =>
    missionJson(mission, config, {
      status: statuses[index]!,
      dir: context.paths.mission(mission.id).agent,
      tmuxWindow: windows?.get(mission.id) ?? null,
      pending: pending.get(mission.id) ?? [],
      plans: plans.get(mission.id) ?? [],
    }),
  )
}

async function withoutSecrets(
  pending: Map<MissionId, PendingRequest[]>,
): Promise<Map<MissionId, PendingRequest[]>> {
  if (pending.size === 0) return pending
  const { maskInput } = await import('../approvals/mask-secrets.ts')
  const masked = (request: PendingRequest) => ({ ...request, input: maskInput(request.input) })
  return new Map([...pending].map(([mission, requests]) => [mission, requests.map(masked)]))
}

/** Warns and returns null if tmux does not answer. The windows are then unknown, not gone. */
function windowsNow(context: Context, needsWindows: boolean): Map<MissionId, WindowId> | null {
  const windows = missionWindows(tmuxOf(context))
  if (windows !== null) return windows
  const problem = windowsUnknown()
  if (needsWindows) throw problem
  context.err.line(`agenc: ${problem.message}.`)
  return null
}
