import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import type { Changes } from '../db/loops.ts'
import type { MissionRecord } from '../db/missions.ts'
import { libraryGit, missionRepo, ownObjects } from '../git-work/mission-repo.ts'
import { takeSnapshot } from '../git-work/snapshot.ts'
import { missionDirectory } from '../mission/mission-directory.ts'
import { directoryState } from './directory-state.ts'

/** Names the present state of a mission's files. Two states with the same name have the same files. */
export async function workState(
  context: Context,
  mission: MissionRecord,
  signal: AbortSignal,
): Promise<string> {
  const directory = missionDirectory(context.paths, mission)
  if (!hasSnapshots(directory, mission)) return directoryState(context, directory)
  const { checkpoint_exclude: exclude } = (await readConfig(context.paths)).missions
  const snapshot = await takeSnapshot(missionRepo(context, mission), {
    exclude,
    now: context.now(),
    signal,
  })
  return snapshot.tree
}

/** What changed between two states. Null if that is not known. */
export async function changesBetween(
  context: Context,
  mission: MissionRecord,
  before: string,
  after: string,
): Promise<Changes | null> {
  if (before === after) return { files: 0, insertions: 0, deletions: 0 }
  if (!hasSnapshots(missionDirectory(context.paths, mission), mission)) return null
  const repo = missionRepo(context, mission)
  const compared = await libraryGit(repo, ['diff-tree', '-r', '--numstat', '--no-renames', before, after])
  if (compared.exitCode !== 0) return null
  const lines = compared.stdout.split('\n').filter(line => line !== '')
  const sum = (column: number) =>
    lines.reduce((total, line) => total + (Number(line.split('\t')[column]) || 0), 0)
  return { files: lines.length, insertions: sum(0), deletions: sum(1) }
}

/** A mission in a directory of the user, or without a repo, leaves nothing in the library. */
function hasSnapshots(directory: string, { repo, dir }: MissionRecord): boolean {
  return repo !== null && dir === null && ownObjects({ directory }) !== null
}
