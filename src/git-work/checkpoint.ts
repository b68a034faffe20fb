import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { MissionService } from '../mission/service.ts'
import { measureChanges } from './changes.ts'
import { missionRepo, type RepoGitOptions } from './mission-repo.ts'
import { packLibrary } from './pack-library.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'

/** The event that a checkpoint was recorded. */
export const checkpointEvent = 'checkpoint'

export interface Checkpoint extends Snapshot {
  turn: number
}

/** Records the state of a mission's directory, and stores what it has changed. */
export async function recordCheckpoint(
  context: Context,
  missions: MissionService,
  mission: MissionRecord,
  low: Pick<RepoGitOptions, 'signal' | 'isLow'> = {},
): Promise<Checkpoint> {
  const repo = missionRepo(context, mission)
  const { checkpoint_exclude: exclude } = (await readConfig(context.paths)).missions
  const now = context.now()
  const snapshot = await takeSnapshot(repo, { ...low, exclude, now, isCheckpoint: true })
  const turn = snapshot.turn!
  const changes = await measureChanges(repo, mission, snapshot, now, low)
  missions.change(
    mission.id,
    // A branch without a commit has no name in a snapshot.
    { changes: JSON.stringify(changes), ...(snapshot.head === null ? {} : { branch: snapshot.branch }) },
    [checkpointEvent, { turn, since: now.toISOString() }],
  )
  await packLibrary(repo)
  return { ...snapshot, turn }
}
