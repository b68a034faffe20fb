import { existsSync } from 'node:fs'
import { claudeLocations } from '../claude/claude-locations.ts'
import { forgetDirectory } from '../claude/trust.ts'
import type { Context } from '../context.ts'
import type { MissionChange, MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError, isCancelled } from '../errors.ts'
import { makePrivateDirectory, namesIn } from '../io/files.ts'
import { markConflicts } from '../mission/conflict-marks.ts'
import { missionService } from '../mission/open-service.ts'
import { moveAway, removeMission, sweepDeleted } from '../mission/remove.ts'
import { missionTitle } from '../mission/tell-done.ts'
import { shortId } from '../mission-id.ts'
import { branchOf, keepLastState } from './free-directory.ts'
import { forgetKeptWork, isKept } from './kept-work.ts'
import { missionRepo } from './mission-repo.ts'
import type { Snapshot } from './snapshot.ts'

interface Removal {
  /** Deletes the mission even if its last state cannot be kept. */
  force?: boolean | undefined
  /** May throw. It runs inside the transaction, in which no wrapper can start the mission. */
  check: (mission: MissionRecord) => void
}

/**
 * Deletes a mission and its files. If it has a repo, the library keeps its last state and the store its record, so that
 * `resume` can bring it back. Nothing else can be kept of a blank mission, or of a directory of the user's.
 */
export async function removeKeepingWork(
  context: Context,
  db: Database,
  mission: MissionRecord,
  { force = false, check }: Removal,
): Promise<void> {
  const { agent } = context.paths.mission(mission.id)
  const mayKeep = mission.repo !== null && mission.dir === null && namesIn(agent).length > 0
  const kept = mayKeep ? await tryToKeep(context, mission, force) : null
  if (isKept(context, mission)) await hideMission(context, db, mission, check, kept ? branchOf(kept) : {})
  else {
    await removeMission(context, db, mission.id, check)
    if (mission.repo !== null) await forgetKeptWork(missionRepo(context, mission))
  }
}

async function tryToKeep(context: Context, mission: MissionRecord, force: boolean): Promise<Snapshot | null> {
  try {
    return await keepLastState(context, mission)
  } catch (error) {
    if (isCancelled(error)) throw error
    const reason = (error as Error).message
    if (!force)
      throw new AgencError(
        `the last state of ${missionTitle(mission)} cannot be kept: ${reason}`,
        'Nothing was deleted. Delete it anyway with --force.',
      )
    context.err.line(`agenc: the last state of ${missionTitle(mission)} could not be kept: ${reason}`)
    return null
  }
}

/** The mission is in no list from now on. Its files are gone. */
export async function hideMission(
  context: Context,
  db: Database,
  { id }: MissionRecord,
  check: (mission: MissionRecord) => void,
  change: MissionChange = {},
): Promise<void> {
  const { root, agent } = context.paths.mission(id)
  await forgetDirectory(claudeLocations(context.env).globalConfig, agent)
  missionService(context, db).write(writer => {
    const mission = writer.get(id)
    if (mission === undefined) return
    check(mission)
    markConflicts(writer, mission, [])
    writer.change(id, { ...change, removed_at: writer.at, ...ended }, ['removed', { for_good: false }])
    if (existsSync(root)) moveAway(context.paths, id, root)
  })
  sweepDeleted(context.paths)
}

/** A wrapper that was killed has left its lease behind. */
const ended = {
  wrapper_pid: null,
  wrapper_start: null,
  claude_pid: null,
  claude_start: null,
  heartbeat_at: null,
  state: null,
  waiting_for: null,
  waiting_since: null,
  background: 0,
  ended_by: 'user',
  spool_done: null,
} as const

/** Puts a mission that `rm` has deleted back into the lists. Its directory is rebuilt when it starts. */
export function bringBack(context: Context, db: Database, mission: MissionRecord): MissionRecord {
  if (mission.removed_at === null) return mission
  if (!isKept(context, mission))
    throw new AgencError(
      `${missionTitle(mission)} was deleted, and the library no longer has its work`,
      `Delete what is left of it with: agenc mission rm --purge ${shortId(mission.id)}`,
    )
  const missions = missionService(context, db)
  makePrivateDirectory(context.paths.mission(mission.id).root)
  missions.change(mission.id, { removed_at: null, archived_at: null }, ['brought-back'])
  return missions.get(mission.id)!
}
