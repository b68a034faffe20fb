import { existsSync, realpathSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { readConfig } from '../config/read.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { getRepo } from '../db/repos.ts'
import { cleanText } from '../io/text.ts'
import { whatWouldBeLost } from '../mission/remove.ts'
import { freshen } from '../repo/freshen.ts'
import { askGit, runGit } from '../repo/git.ts'
import { fetchUrlOf, originHeadOf } from '../repo/library.ts'
import { describeAnswer, findUnsavedWork, type OwnTip, unpushedTips } from '../repo/unsaved-work.ts'
import { interruptible } from '../system/signals.ts'
import { baseBranch } from './base-branch.ts'
import { hasArrivedIn } from './has-arrived.ts'
import { gitDirOf, knownCheckouts, objectsOf } from './known-checkouts.ts'
import {
  libraryGit,
  type MissionRepo,
  missionRepo,
  outputOf,
  ownObjects,
  withObjects,
} from './mission-repo.ts'
import { takeSnapshot } from './snapshot.ts'

/**
 * Describes the work that exists only in the mission's directory, one line per kind. Work has arrived if a branch of the
 * remote or of the user's checkout has it: merged, cherry-picked or squashed. A failure is a line of its own, never
 * "nothing to lose".
 */
export async function whatHasNotArrived(
  context: Context,
  db: Database,
  mission: MissionRecord,
): Promise<string[]> {
  if (mission.dir !== null) return []
  if (mission.repo === null) return whatWouldBeLost(context, mission)
  const repo = missionRepo(context, mission)
  if (!existsSync(repo.directory)) return []
  // Without its own objects or the library, only the directory itself can tell.
  if (ownObjects(repo) === null || !existsSync(repo.library)) return whatWouldBeLost(context, mission)
  try {
    return await linesAbout(context, db, mission, repo)
  } catch (error) {
    // Another process has kept and freed it in the meantime.
    if (!existsSync(repo.directory)) return []
    return [`cannot tell what is in it: ${cleanText(error instanceof Error ? error.message : String(error))}`]
  }
}

async function linesAbout(
  context: Context,
  db: Database,
  mission: MissionRecord,
  repo: MissionRepo,
): Promise<string[]> {
  const found = findUnsavedWork(context, repo.directory, repo.library)
  if ('unknown' in found) return describeAnswer(found)
  const files = [...found.uncommitted, ...found.untracked]
  const tips = unpushedTips(context, realpathSync(repo.directory), repo.library)
  if (tips.length === 0 && files.length === 0) return describeAnswer({ ...found, unpushed: 0 })

  let places = await knownPlaces(context, db, mission, repo)
  let missing = await notArrived(repo, places, tips)
  if (missing.length > 0 && (await fetchLately(context, db, mission, repo))) {
    places = await knownPlaces(context, db, mission, repo)
    missing = await notArrived(repo, places, missing)
  }
  const haveFilesArrived = files.length > 0 && (await filesHaveArrived(context, repo, places, files))
  const rest = { ...found, unpushed: 0, ...(haveFilesArrived ? { uncommitted: [], untracked: [] } : {}) }
  return [...describeAnswer(rest), ...(await Promise.all(missing.map(tip => describeTip(repo, places, tip))))]
}

/** Where the work may be, besides the mission's directory. */
export interface Places {
  /** Commits of branches and tags there. What they contain has arrived. */
  tips: string[]
  /** Branches that may have the work in another form, the likeliest first. */
  targets: string[]
  /** Lets git see the objects of all places. */
  env: NodeJS.ProcessEnv
}

const mostTargets = 20

export async function knownPlaces(
  context: Context,
  db: Database,
  mission: Pick<MissionRecord, 'id' | 'repo' | 'base_ref'>,
  repo: MissionRepo,
): Promise<Places> {
  const checkouts = await knownCheckouts(context, db, mission)
  const objects = [ownObjects(repo), ...checkouts.map(path => objectsOf(context, path))]
  const source = fetchUrlOf(context, repo.library)
  // A checkout on this machine is asked itself: it may have lost a branch since the library fetched it.
  const isSourceKnown = isAbsolute(source) && checkouts.length > 0
  const listed = [
    ...branchesOf(
      context,
      repo.library,
      isSourceKnown ? ['refs/remotes'] : ['refs/heads', 'refs/remotes', 'refs/tags'],
    ),
    ...checkouts.flatMap(path => {
      const gitDir = gitDirOf(context, path)
      return gitDir === null ? [] : branchesOf(context, gitDir, ['refs/heads', 'refs/remotes', 'refs/tags'])
    }),
  ]
  const isBase = (ref: string) =>
    mission.base_ref !== null && (ref.endsWith(`/${mission.base_ref}`) || ref === mission.base_ref)
  const branches = listed.filter(({ ref }) => !ref.startsWith('refs/tags/'))
  const ordered = [
    ...branches.filter(({ ref }) => isBase(ref)),
    ...branches.filter(({ ref }) => !isBase(ref)).sort((a, b) => b.time - a.time),
  ]
  return {
    tips: [...new Set(listed.map(({ commit }) => commit))],
    targets: [...new Set(ordered.map(({ commit }) => commit))].slice(0, mostTargets),
    env: withObjects(objects.filter(path => path !== null)),
  }
}

interface ListedRef {
  commit: string
  ref: string
  time: number
}

function branchesOf(context: Context, gitDir: string, refs: readonly string[]): ListedRef[] {
  const format =
    '--format=%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end) %(committerdate:unix) %(refname)'
  const asked = askGit(context, ['for-each-ref', format, ...refs], { gitDir })
  if (asked.exitCode !== 0) throw new Error(`cannot read the branches of ${gitDir}`)
  const lines = asked.stdout.split('\n').filter(line => line !== '')
  return lines.map(line => {
    const [commit = '', time = '', ...ref] = line.split(' ')
    return { commit, time: Number(time), ref: ref.join(' ') }
  })
}

export async function notArrived(
  repo: MissionRepo,
  places: Places,
  tips: readonly OwnTip[],
): Promise<OwnTip[]> {
  const missing: OwnTip[] = []
  for (const tip of tips) {
    const isThere = libraryGit(repo, ['cat-file', '-e', `${tip.commit}^{commit}`], { env: places.env })
    await outputOf(isThere, 'a commit cannot be read')
    if ((await countOnlyHere(repo, places, tip.commit)) === 0) continue
    if (!(await hasArrivedIn(repo, tip.commit, places.targets, places.env))) missing.push(tip)
  }
  return missing
}

async function countOnlyHere(repo: MissionRepo, { tips, env }: Places, commit: string): Promise<number> {
  const input = [commit, ...tips.map(tip => `^${tip}`)].map(line => `${line}\n`).join('')
  const counted = libraryGit(repo, ['rev-list', '--count', '--ignore-missing', '--stdin'], { env, input })
  return Number(await outputOf(counted, 'cannot count the commits'))
}

export async function describeTip(
  repo: MissionRepo,
  places: Places,
  { commit, ref }: OwnTip,
): Promise<string> {
  const count = await countOnlyHere(repo, places, commit)
  const where = ref === null ? 'on no branch' : `on ${cleanText(ref.replace(/^refs\/(heads|tags)\//, ''))}`
  return `${count} unpushed ${count === 1 ? 'commit' : 'commits'} ${where}`
}

/** Asks the server what has been merged since. Resolves to false if that is not possible now. */
async function fetchLately(
  context: Context,
  db: Database,
  mission: MissionRecord,
  repo: MissionRepo,
): Promise<boolean> {
  const { repos } = await readConfig(context.paths)
  if (repos.fetch_timeout === 0) return false
  const timeoutMs = repos.fetch_timeout * 1000
  if (!isAbsolute(fetchUrlOf(context, repo.library)))
    return interruptible(
      async signal => (await freshen(context, db, mission.repo!, { signal, timeoutMs })) === null,
    )
  return fetchFromOrigin(context, db, mission, repo, timeoutMs)
}

/** The library fetches from the user's checkout, which may not have asked its own origin since. */
async function fetchFromOrigin(
  context: Context,
  db: Database,
  mission: MissionRecord,
  repo: MissionRepo,
  timeoutMs: number,
): Promise<boolean> {
  const url = getRepo(db, mission.repo!)?.url
  // The work of a mission that started from a tag or a commit goes to the default branch.
  const base =
    (await baseBranch(repo, mission)) ??
    originHeadOf(context, repo.library).replace('refs/remotes/origin/', '')
  if (url === undefined || isAbsolute(url) || base === '') return false
  const refspec = `+refs/heads/${base}:refs/remotes/origin/${base}`
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', url, refspec]
  const limit = AbortSignal.timeout(timeoutMs)
  const config = ['fetch.unpackLimit=1', 'gc.auto=0', 'maintenance.auto=false']
  return interruptible(async signal => {
    const fetching = runGit(context, args, {
      gitDir: repo.library,
      config,
      signal: AbortSignal.any([signal, limit]),
    })
    const fetched = await fetching.catch(error =>
      limit.aborted && !signal.aborted ? null : Promise.reject(error),
    )
    return fetched?.exitCode === 0
  })
}

/** Files that are not committed have arrived if a branch elsewhere already has what they change. */
async function filesHaveArrived(
  context: Context,
  repo: MissionRepo,
  { targets, env }: Places,
  files: readonly string[],
): Promise<boolean> {
  const { missions } = await readConfig(context.paths)
  const { commit, head, tree, leftOut } = await takeSnapshot(repo, {
    exclude: missions.checkpoint_exclude,
    listsLeftOut: true,
    now: context.now(),
  })
  if (head === null || leftOut.length > 0) return false
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', head, tree]
  const recorded = (await outputOf(libraryGit(repo, args), 'cannot compare the files')).split('\0')
  const isRecorded = (path: string) =>
    recorded.some(name => name === path || (path.endsWith('/') && name.startsWith(path)))
  return files.every(isRecorded) && hasArrivedIn(repo, commit, targets, env, { asCommits: false })
}
