import { existsSync } from 'node:fs'
import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { describeAnswer, findUnsavedWork } from '../repo/unsaved-work.ts'
import { emptyTree } from './changes.ts'
import { libraryGit, type MissionRepo, missionRepo, outputOf, ownObjects } from './mission-repo.ts'
import { takeSnapshot } from './snapshot.ts'

/**
 * Describes the work that is lost with a mission's directory although the library keeps its last state: files that are never
 * recorded, work in submodules and other repos, and stashes. One line per kind.
 */
export async function whatLibraryCannotKeep(context: Context, mission: MissionRecord): Promise<string[]> {
  if (mission.repo === null || mission.dir !== null) return []
  const repo = missionRepo(context, mission)
  if (ownObjects(repo) === null || !existsSync(repo.library)) return []
  const found = findUnsavedWork(context, repo.directory, repo.library)
  if ('unknown' in found) return describeAnswer(found)
  const { recorded, leftOut } = await recordFiles(context, repo)
  const isKnown = (path: string) =>
    [...recorded, ...leftOut].some(name => name === path || (path.endsWith('/') && name.startsWith(path)))
  const others = [...found.uncommitted, ...found.untracked].filter(path => !isKnown(path))
  return describeAnswer({ ...found, unpushed: 0, uncommitted: [...leftOut, ...others], untracked: [] })
}

async function recordFiles(
  context: Context,
  repo: MissionRepo,
): Promise<{ recorded: string[]; leftOut: string[] }> {
  const { checkpoint_exclude: exclude } = (await readConfig(context.paths)).missions
  const { head, tree, leftOut } = await takeSnapshot(repo, {
    exclude,
    listsLeftOut: true,
    now: context.now(),
  })
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', head ?? (await emptyTree(repo)), tree]
  const listed = await outputOf(libraryGit(repo, args), 'cannot compare the files')
  return { recorded: listed.split('\0'), leftOut }
}
