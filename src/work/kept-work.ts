import { existsSync } from 'node:fs'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { isMissionId, type MissionId } from '../mission-id.ts'
import { askGit, type GitTools } from '../repo/git.ts'
import { keptRefs, libraryGit, type MissionRepo, missionRepo, outputOf } from './mission-repo.ts'

/** Whether the library has work of this mission, from which its directory can be rebuilt. */
export function isKept(context: Context, mission: MissionRecord): boolean {
  if (mission.repo === null || mission.dir !== null) return false
  const { library, id } = missionRepo(context, mission)
  if (!existsSync(library)) return false
  const asked = askGit(context, ['rev-parse', '--quiet', '--verify', keptRefs(id).now], { gitDir: library })
  return asked.exitCode === 0
}

/** The missions whose work a repo of the library keeps. */
export function keptMissions(tools: GitTools, library: string): MissionId[] {
  if (!existsSync(library)) return []
  const listed = askGit(tools, ['for-each-ref', '--format=%(refname)', 'refs/agenc/'], { gitDir: library })
  const ids = listed.stdout.split('\n').map(ref => ref.split('/')[2] ?? '')
  return [...new Set(ids)].filter(isMissionId)
}

/** Deletes all refs of a mission in the library. The objects go with the next collection. */
export async function forgetKeptWork(repo: MissionRepo): Promise<void> {
  if (!existsSync(repo.library)) return
  const args = ['for-each-ref', '--format=delete %(refname)', keptRefs(repo.id).root]
  const input = await outputOf(libraryGit(repo, args), 'cannot read the library')
  if (input === '') return
  await outputOf(libraryGit(repo, ['update-ref', '--stdin'], { input }), 'cannot delete the checkpoints')
}

/** Describes, in one line each, the kept work of a mission that no branch of the library has. */
export async function whatOnlyLibraryHas(context: Context, mission: MissionRecord): Promise<string[]> {
  if (!isKept(context, mission)) return []
  const repo = missionRepo(context, mission)
  const { heads, head, now } = keptRefs(mission.id)
  const args = ['rev-list', '--count', `--glob=${heads}*`, '--not', '--branches', '--remotes', '--tags']
  const commits = Number(await outputOf(libraryGit(repo, args), 'cannot count the commits'))
  const changed = await libraryGit(repo, ['diff-tree', '--quiet', head, now])
  return [
    ...(commits > 0 ? [`${commits} unpushed ${commits === 1 ? 'commit' : 'commits'}`] : []),
    ...(changed.exitCode === 0 ? [] : ['uncommitted changes']),
  ]
}
