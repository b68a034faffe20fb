import { existsSync, realpathSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import { listEvents } from '../db/events.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { repoConfig } from '../mission/effective-settings.ts'
import { askGit, type GitTools } from '../repo/git.ts'
import { fetchUrlOf, libraryPath } from '../repo/library.ts'
import { expandHome } from '../repo/repo-source.ts'

/** The event that a branch of the mission was brought into a checkout. */
export const pulledEvent = 'pulled'

/** The user's checkouts that may have the mission's work, the best known first. Only those that are there. */
export async function knownCheckouts(
  context: Context,
  db: Database,
  mission: Pick<MissionRecord, 'id' | 'repo'>,
): Promise<string[]> {
  if (mission.repo === null) return []
  const settings = repoConfig(mission.repo, await readConfig(context.paths))
  const source = fetchUrlOf(context, libraryPath(context.paths.repos, mission.repo))
  const pulled = listEvents(db, mission.id)
    .filter(({ kind }) => kind === pulledEvent)
    .map(({ data }) => data.into)
    .reverse()
  const paths = [settings?.checkout, isAbsolute(source) ? source : undefined, ...pulled]
    .filter((path): path is string => typeof path === 'string')
    .map(path => expandHome(path, context.env))
    .filter(path => isAbsolute(path) && gitDirOf(context, path) !== null)
    .filter(path => !isOwn(context, mission, path))
  return [...new Set(paths.map(path => realpathSync(path)))]
}

/** Whether a checkout goes with the mission's directory: it is inside of it, or a worktree of its repo. */
export function isOwn(context: Context, { id }: Pick<MissionRecord, 'id'>, checkout: string): boolean {
  const { agent } = context.paths.mission(id)
  const gitDir = gitDirOf(context, checkout)
  if (gitDir === null || !existsSync(agent)) return false
  const [from, ...places] = [agent, checkout, gitDir].map(path => realpathSync(path))
  return places.some(place => relative(from!, place).split('/')[0] !== '..')
}

/** The user's own checkout of the mission's repo, if it is known. */
export async function checkoutOf(
  context: Context,
  db: Database,
  mission: MissionRecord,
): Promise<string | null> {
  return (await knownCheckouts(context, db, mission))[0] ?? null
}

/** The git directory that all worktrees of a checkout share. Null if there is no repo. */
export function gitDirOf(tools: GitTools, checkout: string): string | null {
  if (!existsSync(checkout)) return null
  const asked = askGit(tools, ['rev-parse', '--git-common-dir'], { cwd: checkout })
  if (asked.exitCode !== 0) return null
  return resolve(checkout, asked.stdout.replace(/\n$/, ''))
}

export function objectsOf(tools: GitTools, checkout: string): string | null {
  const gitDir = gitDirOf(tools, checkout)
  return gitDir === null ? null : join(gitDir, 'objects')
}
