import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { getRepo } from '../db/repos.ts'
import { AgencError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import { statusNow } from '../mission/mission-status.ts'
import { missionService } from '../mission/open-service.ts'
import { missionTitle } from '../mission/tell-done.ts'
import { shortId } from '../mission-id.ts'
import { freshen } from '../repo/freshen.ts'
import { disabledFilters, gitFailed } from '../repo/git.ts'
import { interruptible } from '../system/signals.ts'
import { notThereYet, removeAdded } from './added-files.ts'
import { asUser } from './as-user.ts'
import { measureChanges } from './changes.ts'
import { updateBranch, withNewIndex } from './commit.ts'
import { compose, isAncestor } from './compose.ts'
import { askToCombine, askToCommit, withHelp } from './help-of-claude.ts'
import { checkoutOf, gitDirOf } from './known-checkouts.ts'
import {
  branchOf,
  presentState,
  refuseForeignDirectory,
  refuseUnfinished,
  someFiles,
  uncommittedFiles,
} from './landing.ts'
import {
  libraryGit,
  type MissionRepo,
  missionRepo,
  outputOf,
  ownGit,
  ownObjects,
  withObjects,
} from './mission-repo.ts'

export interface SyncWish {
  rebase: boolean
  /** Another branch than the one that the mission started from, which becomes its base. */
  base?: string
  /** Takes the base as the library knows it. */
  offline: boolean
}

export interface Synced {
  base: { ref: string; commit: string }
  branch: string
  commit: string
  /** Commits of the base that the mission did not have. */
  commits: number
}

/** Brings the newest base into a mission. Everything is composed first, so a conflict changes nothing. */
export async function syncMission(
  context: Context,
  db: Database,
  mission: MissionRecord,
  wish: SyncWish,
): Promise<Synced> {
  const repo = missionRepo(context, mission)
  refuseUnavailable(context, mission, repo)
  await refuseUnfinished(repo, missionTitle(mission))
  if (!wish.offline) await fetchBase(context, db, mission)
  const { head, branch } = await cleanState(context, repo, mission)
  const base = await newestBase(repo, mission, wish.base)
  const env = { GIT_OBJECT_DIRECTORY: ownObjects(repo)!, ...withObjects([join(repo.library, 'objects')]) }
  const range = [base.commit, `^${head}`]
  const counted = await outputOf(
    libraryGit(repo, ['rev-list', '--count', ...range], { env }),
    'cannot count the commits',
  )
  const commits = Number(counted)
  const isNew = !(await isAncestor(repo, base.commit, head, env))
  const commit = isNew
    ? await composed(context, db, mission, { repo, head, branch, base, env, rebase: wish.rebase })
    : head
  if (isNew) {
    await copyToMission(repo, base.commit, head)
    await moveMission(context, db, mission, repo, {
      branch,
      from: head,
      to: commit,
      why: `agenc mission sync: ${base.ref}`,
    })
    await setRemoteBranch(repo, base)
  }
  await store(context, db, mission, repo, base)
  return { base, branch, commit, commits: isNew ? commits : 0 }
}

function refuseUnavailable(context: Context, mission: MissionRecord, repo: MissionRepo): void {
  refuseForeignDirectory(mission)
  const title = missionTitle(mission)
  if (mission.copy_pending !== null)
    throw new AgencError(`${title} has not started yet`, 'It will start on the newest base.')
  if (ownObjects(repo) === null)
    throw new AgencError(
      `${title} has no directory`,
      `Bring it back with: agenc mission resume ${shortId(mission.id)}`,
    )
  if (statusNow(context, mission) !== 'running' || mission.state === 'idle') return
  throw new AgencError(
    `${title} is not idle, so its files may change at any time`,
    'Wait until its turn has ended, then try again.',
  )
}

const fetchMs = 60_000

async function fetchBase(context: Context, db: Database, mission: MissionRecord): Promise<void> {
  const options = { showsProgress: context.err.isTerminal, timeoutMs: fetchMs }
  const problem = await interruptible(signal => freshen(context, db, mission.repo!, { signal, ...options }))
  if (problem !== null)
    throw new AgencError(
      `the newest base cannot be fetched: ${problem}`,
      'Take the base as it was fetched last with: --offline',
    )
}

async function cleanState(
  context: Context,
  repo: MissionRepo,
  mission: MissionRecord,
): Promise<{ head: string; branch: string }> {
  const title = missionTitle(mission)
  const state = await presentState(context, repo)
  if (!state?.head)
    throw new AgencError(`${title} has no commits`, 'There is nothing to bring the base into.')
  const { recorded, filtered, excluded } = await uncommittedFiles(repo, state)
  const paths = [...recorded, ...filtered, ...excluded]
  if (paths.length > 0)
    throw withHelp(
      new AgencError(
        `${title} has uncommitted changes in ${someFiles(paths)}`,
        'Have its Claude commit them with --ask.',
      ),
      askToCommit(paths),
    )
  return { head: state.head, branch: await branchOf(repo, mission, state) }
}

interface BaseTip {
  ref: string
  commit: string
}

async function newestBase(
  repo: MissionRepo,
  mission: MissionRecord,
  wanted: string | undefined,
): Promise<BaseTip> {
  const name = wanted ?? mission.base_ref ?? (await defaultBranch(repo))
  for (const ref of [`refs/heads/${name}`, `refs/remotes/${name}`]) {
    const asked = await libraryGit(repo, ['rev-parse', '--quiet', '--verify', `${ref}^{commit}`])
    if (asked.exitCode === 0) return { ref: name, commit: asked.stdout.trim() }
  }
  const branch = await defaultBranch(repo)
  throw new AgencError(
    `${mission.repo} has no branch ${cleanText(name)}`,
    `It may have been renamed or deleted. Name the base with --base, such as: --base ${branch}`,
  )
}

async function defaultBranch(repo: MissionRepo): Promise<string> {
  const asked = await libraryGit(repo, ['symbolic-ref', '--quiet', '--short', 'HEAD'])
  return asked.stdout.trim()
}

async function composed(
  context: Context,
  db: Database,
  mission: MissionRecord,
  work: {
    repo: MissionRepo
    head: string
    branch: string
    base: BaseTip
    env: NodeJS.ProcessEnv
    rebase: boolean
  },
): Promise<string> {
  const { repo, head, branch, base, env, rebase } = work
  const checkout = await checkoutOf(context, db, mission)
  const made = await compose(repo, {
    way: rebase ? 'rebase' : 'merge',
    target: rebase ? base.commit : head,
    head: rebase ? head : base.commit,
    // A base that was rewritten may have dropped commits. They are not work of the mission.
    ...(rebase && mission.base_commit !== null ? { after: mission.base_commit } : {}),
    message: `Merge branch '${base.ref}' into ${branch}`,
    user: asUser(context, (checkout && gitDirOf(context, checkout)) ?? repo.library),
    env,
  })
  if ('commit' in made) return made.commit
  throw withHelp(
    new AgencError(
      `${base.ref} conflicts with ${branch} in ${someFiles(made.conflicts)}`,
      [
        ...made.conflicts.map(path => `  ${cleanText(path)}`),
        `Nothing was changed. With --ask, its Claude brings ${base.ref} in and resolves them.`,
      ].join('\n'),
    ),
    {
      request: askToCombine({ name: base.ref, commit: base.commit, isRebase: rebase }, made.conflicts),
      prepare: () => copyToMission(repo, base.commit, head),
    },
  )
}

/** The mission must not depend on the library, so it gets its own copy of the commits. */
export async function copyToMission(
  repo: MissionRepo,
  commit: string,
  head: string,
  objects: readonly string[] = [],
): Promise<void> {
  const pack = join(ownObjects(repo)!, 'pack', 'pack')
  const args = ['pack-objects', '--revs', '--non-empty', '--quiet', '--threads=1', pack]
  // git renames its draft, which must be on the same disk.
  const sources = [join(repo.library, 'objects'), ...objects]
  const env = { GIT_OBJECT_DIRECTORY: ownObjects(repo)!, ...withObjects(sources) }
  const packed = await libraryGit(repo, args, { env, input: `${commit}\n^${head}\n` })
  if (packed.exitCode !== 0) throw gitFailed('cannot copy the commits to the mission', packed)
}

interface Move {
  branch: string
  from: string
  to: string
  why: string
}

/** Files, index and branch follow together. If one of them cannot, the files go back to what they were. */
async function moveMission(
  context: Context,
  db: Database,
  mission: MissionRecord,
  repo: MissionRepo,
  move: Move,
): Promise<void> {
  const isTrusted = getRepo(db, mission.repo!)?.trusted === 1
  const config = isTrusted ? [] : disabledFilters(context, { gitDir: repo.library })
  await withNewIndex(repo, async index => {
    const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: repo.directory }
    const checkOut = (...args: string[]) =>
      libraryGit(repo, ['read-tree', '-u', '--no-recurse-submodules', ...args], { env, config })
    const added = notThereYet(repo.directory, await addedFiles(repo, move))
    const done = await checkOut('-m', move.from, move.to)
    if (done.exitCode !== 0) {
      // A full disk or Ctrl-C stops git between two files.
      removeAdded(repo.directory, added)
      await checkOut('--reset', move.from)
      throw gitFailed("cannot change the mission's files", done, 'Nothing was changed.')
    }
    try {
      await updateBranch(repo, move)
    } catch (error) {
      await checkOut('-m', move.to, move.from)
      throw error
    }
  })
}

async function addedFiles(repo: MissionRepo, { from, to }: Move): Promise<string[]> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=A', from, to]
  const listed = await outputOf(libraryGit(repo, args), 'cannot list the new files')
  return listed.split('\0').filter(path => path !== '')
}

/** As after a fetch in the mission. */
async function setRemoteBranch(repo: MissionRepo, { ref, commit }: BaseTip): Promise<void> {
  const listed = await ownGit(repo, ['for-each-ref', '--format=%(refname)', 'refs/remotes'])
  const wanted = [`refs/remotes/${ref}`, `refs/remotes/local/${ref}`, `refs/remotes/origin/${ref}`]
  const known = listed.stdout.split('\n')
  const found = wanted.find(name => known.includes(name))
  if (found) await ownGit(repo, ['update-ref', '-m', 'agenc mission sync', found, commit])
}

async function store(
  context: Context,
  db: Database,
  mission: MissionRecord,
  repo: MissionRepo,
  { ref, commit }: BaseTip,
): Promise<void> {
  const fetched = getRepo(db, mission.repo!)?.updated_at ?? context.now().toISOString()
  const base = { base_ref: ref, base_commit: commit, base_at: fetched }
  const state = await presentState(context, repo)
  const changes = state?.snapshot && (await measureChanges(repo, base, state.snapshot, context.now()))
  missionService(context, db).change(
    mission.id,
    { ...base, ...(changes ? { changes: JSON.stringify(changes) } : {}) },
    ['synced', { base: ref, commit }],
  )
}
