import { existsSync } from 'node:fs'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { isMissionId, type MissionId } from '../mission-id.ts'
import { askGit, type GitTools } from '../repo/git.ts'
import { keptRefs, libraryGit, type MissionRepo, missionRepo, outputOf } from './mission-repo.ts'

/** Whether the library has work of this mission, from which its directory can be rebuilt. */
export function isKept(context: Context, mission: MissionRecord): boolean {
  return mission.repo !== null && mission.dir === null && hasKeptWork(missionRepo(context, mission))
}

function hasKeptWork({ id, library, ...tools }: MissionRepo): boolean {
  if (!existsSync(library)) return false
  const args = ['rev-parse', '--quiet', '--verify', keptRefs(id).now]
  return askGit(tools, args, { gitDir: library }).exitCode === 0
}

export interface KeptRef {
  name: string
  commit: string
  /** ISO 8601. */
  at: string
}

/** What a repo of the library keeps of each mission. */
export function keptWork(tools: GitTools, library: string): Map<MissionId, KeptRef[]> {
  const work = new Map<MissionId, KeptRef[]>()
  if (!existsSync(library)) return work
  const format = '--format=%(refname) %(objectname) %(committerdate:unix)'
  const listed = askGit(tools, ['for-each-ref', format, 'refs/agenc/'], { gitDir: library })
  for (const line of listed.stdout.split('\n').filter(line => line !== '')) {
    const [name = '', commit = '', seconds] = line.split(' ')
    const id = name.split('/')[2] ?? ''
    if (!isMissionId(id)) continue
    const at = new Date(Number(seconds ?? 0) * 1000).toISOString()
    work.set(id, [...(work.get(id) ?? []), { name, commit, at }])
  }
  return work
}

export async function deleteRefs(repo: MissionRepo, refs: readonly string[]): Promise<void> {
  if (refs.length === 0) return
  const input = refs.map(ref => `delete ${ref}\n`).join('')
  await outputOf(libraryGit(repo, ['update-ref', '--stdin'], { input }), 'cannot delete the checkpoints')
}

/** Deletes all refs of a mission in the library. The objects go with the next collection. */
export async function forgetKeptWork(repo: MissionRepo): Promise<void> {
  const refs = keptWork(repo, repo.library).get(repo.id) ?? []
  await deleteRefs(
    repo,
    refs.map(({ name }) => name),
  )
}
