import { existsSync } from 'node:fs'
import { claudeLocations } from '../claude/claude-locations.ts'
import { forgetDirectory } from '../claude/trust.ts'
import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { statusNow } from '../mission/mission-status.ts'
import { missionService } from '../mission/open-service.ts'
import { moveAway, sweepDeleted } from '../mission/remove.ts'
import { missionTitle } from '../mission/tell-done.ts'
import { shortId } from '../mission-id.ts'
import { interruptible } from '../system/signals.ts'
import { keepLargeFiles } from './large-files.ts'
import { keptRefs, libraryGit, type MissionRepo, missionRepo, outputOf } from './mission-repo.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'

/**
 * Deletes a mission's working copy and keeps its record. The library gets the last state first; if it cannot, this throws
 * and nothing is deleted. `check` may throw. It runs inside the transaction, in which no wrapper can start the mission.
 */
export async function freeDirectory(
  context: Context,
  db: Database,
  mission: MissionRecord,
  check: (mission: MissionRecord) => void = () => {},
): Promise<void> {
  const { agent } = context.paths.mission(mission.id)
  if (mission.dir !== null || !existsSync(agent)) return
  const last = await keepLastState(context, mission)
  await forgetDirectory(claudeLocations(context.env).globalConfig, agent)
  missionService(context, db).write(writer => {
    const now = writer.get(mission.id)
    if (now === undefined || !existsSync(agent)) return
    refuseRunning(context, now)
    check(now)
    writer.change(mission.id, branchOf(last), ['directory-freed', { commit: last.commit }])
    moveAway(context.paths, mission.id, agent)
  })
  sweepDeleted(context.paths)
}

function refuseRunning(context: Context, mission: MissionRecord): void {
  if (statusNow(context, mission) !== 'running') return
  throw new AgencError(
    `${missionTitle(mission)} is running`,
    `Stop it first with: agenc mission stop ${shortId(mission.id)}`,
  )
}

/** Records the directory of a mission that is about to be deleted, and makes sure that the library can give it back. */
export async function keepLastState(context: Context, mission: MissionRecord): Promise<Snapshot> {
  const { missions } = await readConfig(context.paths)
  const repo = missionRepo(context, mission)
  if (!existsSync(repo.library))
    throw new AgencError(`${mission.repo} is no longer in the library`, 'Add it again with: agenc repo add')
  return interruptible(async signal => {
    const exclude = missions.checkpoint_exclude
    const snapshot = await takeSnapshot(repo, { exclude, now: context.now(), signal })
    await checkKept(repo, signal)
    await keepLargeFiles(repo, mission.base_commit)
    return snapshot
  })
}

/** The branch to come back to. A snapshot does not tell the branch of a repo without commits. */
export function branchOf({ head, branch }: Snapshot): { branch?: string | null } {
  return head === null ? {} : { branch }
}

/** Throws if the library lacks an object of the mission's work. */
async function checkKept(repo: MissionRepo, signal: AbortSignal): Promise<void> {
  const { root } = keptRefs(repo.id)
  const args = ['rev-list', '--objects', '--quiet', `--glob=${root}*`, '--not', '--branches', '--remotes']
  // Without the objects of the mission itself.
  const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: '' }
  await outputOf(libraryGit(repo, args, { env, signal }), 'the library does not have all of the work')
}
