import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { claudeLocations } from '../claude/claude-locations.ts'
import { forgetDirectory } from '../claude/trust.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { errorCode } from '../errors.ts'
import { namesIn } from '../io/files.ts'
import type { MissionId } from '../mission-id.ts'
import type { Paths } from '../paths.ts'
import { libraryPath } from '../repo/library.ts'
import { describeUnsavedWork } from '../repo/unsaved-work.ts'
import { markConflicts } from './conflict-marks.ts'
import { missionService } from './open-service.ts'

/** Starts the name of the directory of a mission that is being deleted. */
export const deletedPrefix = '.deleted-'

/**
 * Deletes a mission and its files. The files are renamed first, so that an interrupted deletion leaves no half mission.
 * `check` may throw. It runs inside the transaction, in which no wrapper can start the mission.
 */
export async function removeMission(
  context: Context,
  db: Database,
  id: MissionId,
  check: (mission: MissionRecord) => void,
): Promise<void> {
  const { root, agent } = context.paths.mission(id)
  await forgetDirectory(claudeLocations(context.env).globalConfig, agent)
  missionService(context, db).write(writer => {
    const mission = writer.get(id)
    if (mission) {
      check(mission)
      markConflicts(writer, mission, [])
    }
    writer.remove(id)
    if (existsSync(root)) moveAway(context.paths, id, root)
  })
  sweepDeleted(context.paths)
}

/** Moves files of a mission to the place from which they are deleted. */
export function moveAway({ missions }: Paths, id: MissionId, path: string): void {
  const deleted = join(missions, `${deletedPrefix}${id}`)
  try {
    renameSync(path, deleted)
  } catch (error) {
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error
    // A deletion of files of the same mission was killed.
    rmSync(deleted, { recursive: true, force: true })
    renameSync(path, deleted)
  }
}

/** Also deletes what a killed deletion left behind. */
export function sweepDeleted({ missions }: Paths): void {
  for (const name of namesIn(missions))
    if (name.startsWith(deletedPrefix)) rmSync(join(missions, name), { recursive: true, force: true })
}

/** Describes, in one line each, the work that would be lost with the mission's directory. */
export function whatWouldBeLost(context: Context, mission: MissionRecord): string[] {
  const { exec, env, paths } = context
  const { agent } = paths.mission(mission.id)
  if (mission.dir !== null || !existsSync(agent)) return []
  const library = mission.repo === null ? undefined : libraryPath(paths.repos, mission.repo)
  return describeUnsavedWork({ exec, env, directory: agent, library })
}
