import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import { listAllPending, type PendingRequest } from '../db/approvals.ts'
import { listAllQueued } from '../db/messages.ts'
import { listMissions, type MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { listAllPlans } from '../db/plans.ts'
import { readStore } from '../db/with-store.ts'
import type { MissionId } from '../mission-id.ts'
import { tmuxOf } from '../tmux/server.ts'
import { type MissionWindow, missionWindowsInFull, windowsUnknown } from '../tmux/windows.ts'
import { missionDirectory } from './mission-directory.ts'
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
  const rows = await listMissionRows(context, { archived, needsWindows })
  return rows.map(({ mission }) => mission)
}

/** A mission, and what lists show of it that is no part of the published JSON. */
export interface MissionRow {
  mission: MissionJson
  /** The number of its window in the agenc session. */
  windowNumber: string | null
  /** Its last run ended before Claude was ready. */
  failedToStart: boolean
}

/** Those that wait for the user come first, longest wait first; then those with something new; then the rest. */
function mostUrgentFirst(rows: readonly MissionRow[]): MissionRow[] {
  const rank = ({ mission }: MissionRow) => (mission.state === 'waiting' ? 0 : mission.done_unseen ? 1 : 2)
  const since = ({ mission }: MissionRow) => mission.waiting_since ?? ''
  return rows.toSorted((a, b) => rank(a) - rank(b) || since(a).localeCompare(since(b)))
}

/** Like `listMissionsNow`, with the numbers of the windows. */
export async function listMissionRows(
  context: Context,
  { archived = false, needsWindows = false } = {},
): Promise<MissionRow[]> {
  return readStore(context, async db => {
    if (!db) return []
    return mostUrgentFirst(await describeRows(context, db, listMissions(db, { archived }), needsWindows))
  })
}

export async function describeMissions(
  context: Context,
  db: Database,
  missions: readonly MissionRecord[],
): Promise<MissionJson[]> {
  return (await describeRows(context, db, missions)).map(({ mission }) => mission)
}

export async function describeRows(
  context: Context,
  db: Database,
  stored: readonly MissionRecord[],
  needsWindows = false,
): Promise<MissionRow[]> {
  const missions = stored.map(mission => withEnding(context.paths, mission))
  const config = await readConfig(context.paths)
  const statuses = statusesOf(context, missions)
  const someRun = statuses.includes('running')
  const windows = someRun ? windowsNow(context, needsWindows) : null
  const plans = listAllPlans(db)
  const queued = listAllQueued(db)
  const pending = someRun ? await withoutSecrets(listAllPending(db)) : new Map<MissionId, PendingRequest[]>()
  return missions.map((mission, index) => {
    const window = windows?.get(mission.id)
    const json = missionJson(mission, config, {
      status: statuses[index]!,
      dir: missionDirectory(context.paths, mission),
      tmuxWindow: window?.id ?? null,
      doneUnseen: windows && (window?.isDone ?? false),
      pending: pending.get(mission.id) ?? [],
      plans: plans.get(mission.id) ?? [],
      queued: queued.get(mission.id) ?? [],
    })
    return {
      mission: json,
      windowNumber: json.tmux_window && (window?.number ?? null),
      failedToStart: json.status === 'stopped' && mission.ended_by === 'failed',
    }
  })
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
function windowsNow(context: Context, needsWindows: boolean): Map<MissionId, MissionWindow> | null {
  const windows = missionWindowsInFull(tmuxOf(context))
  if (windows !== null) return windows
  const problem = windowsUnknown()
  if (needsWindows) throw problem
  context.err.line(`agenc: ${problem.message}.`)
  return null
}
