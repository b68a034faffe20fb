import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../config/read.ts'
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
import { asUser } from './as-user.ts'
import { baseOf, emptyTree, measureChanges } from './changes.ts'
import { commitOnBranch } from './commit.ts'
import { askToCommit, askToFinish, askToResolve, withHelp } from './help-of-claude.ts'
import { checkoutOf, gitDirOf } from './known-checkouts.ts'
import {
  keptRefs,
  libraryGit,
  type MissionRepo,
  missionRepo,
  outputOf,
  ownGit,
  ownObjects,
} from './mission-repo.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'

/** A mission's work, committed on a branch, with everything in the library. */
export interface LandingWork {
  repo: MissionRepo
  /** The state of its directory. Null if the directory is gone. */
  snapshot: Snapshot | null
  head: string
  branch: string
  /** The commit that its work is compared with. */
  base: string | null
}

export interface LandingOptions {
  /** Uncommitted work is committed with this message. Without it, such work is refused. */
  commit?: string
}

/**
 * Brings a mission's work into the library and makes sure that all of it is committed. Throws if there is nothing to
 * land, or if landing it now would leave something behind.
 */
export async function readyToLand(
  context: Context,
  db: Database,
  mission: MissionRecord,
  options: LandingOptions = {},
): Promise<LandingWork> {
  refuseForeignDirectory(mission)
  const repo = missionRepo(context, mission)
  const title = missionTitle(mission)
  if (mission.copy_pending !== null)
    throw new AgencError(`${title} has not started yet`, 'It has no files, so there is nothing to land.')
  await refuseUnfinished(repo, title)
  const state = await presentState(context, repo)
  if (state === null) throw new AgencError(`${title} has no commits`, 'There is nothing to land.')
  const uncommitted = await uncommittedFiles(repo, state)
  const isBusy = statusNow(context, mission) === 'running' && mission.state === 'busy'
  const now =
    uncommitted.recorded.length > 0 && options.commit !== undefined
      ? await commitWork(context, db, mission, { repo, state, message: options.commit, isBusy, uncommitted })
      : state
  if (now === state) refuseUncommitted(mission, uncommitted, options)
  if (now.head === null)
    throw new AgencError(`${title} has no commits`, `Commit its work with: --commit <message>`)
  const branch = await branchOf(repo, mission, now)
  const base = await baseOf(repo, mission, now.head)
  await refuseNothing(repo, mission, now.head, base)
  if (isBusy) context.err.line(`${title} is still working. Only what it has committed so far is taken.`)
  for (const path of uncommitted.leftOut) context.err.line(`Not committed, and left out: ${cleanText(path)}`)
  return { repo, snapshot: now.snapshot, head: now.head, branch, base }
}

export function refuseForeignDirectory(mission: MissionRecord): void {
  if (mission.dir === null) return
  throw new AgencError(
    `${missionTitle(mission)} works in your own directory`,
    `Its work is already there. Use git in ${mission.dir}.`,
  )
}

const operations: readonly (readonly [file: string, name: string])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
]

/** The operation that git is in the middle of, such as `merge`. */
export function underWay(gitDir: string): string | undefined {
  return operations.find(([file]) => existsSync(join(gitDir, file)))?.[1]
}

/** Throws if git is in the middle of something in the mission: neither its branch nor its files are complete. */
export async function refuseUnfinished(repo: MissionRepo, title: string): Promise<void> {
  const gitDir = join(repo.directory, '.git')
  const operation = underWay(gitDir)
  const finish = `Have its Claude finish it, or do it yourself in ${repo.directory}, then try again.`
  if (operation)
    throw withHelp(
      new AgencError(`${title} is in the middle of a ${operation}`, finish),
      askToFinish(operation),
    )
  if (!existsSync(join(gitDir, 'index'))) return
  const env = { GIT_INDEX_FILE: join(gitDir, 'index') }
  const asked = await libraryGit(repo, ['ls-files', '--unmerged', '-z'], { env })
  const paths = asked.stdout
    .split('\0')
    .filter(entry => entry !== '')
    .map(entry => entry.slice(entry.indexOf('\t') + 1))
  const unresolved = [...new Set(paths)]
  if (unresolved.length > 0)
    throw withHelp(
      new AgencError(`${title} has unresolved conflicts in ${someFiles(unresolved)}`, finish),
      askToResolve(unresolved),
    )
}

/** The mission's files and its HEAD, from its directory or, if that is gone, from the library. */
export interface PresentState {
  snapshot: Snapshot | null
  head: string | null
  branch: string | null
  tree: string
  leftOut: string[]
}

export async function presentState(context: Context, repo: MissionRepo): Promise<PresentState | null> {
  if (existsSync(repo.directory)) {
    const { missions } = await readConfig(context.paths)
    const snapshot = await takeSnapshot(repo, {
      exclude: missions.checkpoint_exclude,
      listsLeftOut: true,
      now: context.now(),
    })
    const { head, branch, tree, leftOut } = snapshot
    return { snapshot, head, branch, tree, leftOut }
  }
  return keptState(repo)
}

async function keptState(repo: MissionRepo): Promise<PresentState | null> {
  const names = keptRefs(repo.id)
  const commitAt = async (ref: string) => {
    const asked = await libraryGit(repo, ['rev-parse', '--quiet', '--verify', ref])
    return asked.exitCode === 0 ? asked.stdout.trim() : null
  }
  const [head, tree] = await Promise.all([commitAt(names.head), commitAt(`${names.now}^{tree}`)])
  if (tree === null) return null
  return { snapshot: null, head, branch: null, tree, leftOut: [] }
}

/** What is not committed. */
export interface Uncommitted {
  /** Files that a commit by agenc would have. */
  recorded: string[]
  /** Changed files that agenc cannot commit, because their filter would have to run. */
  filtered: string[]
  /** Tracked files that the settings exclude, or that cannot be read. */
  excluded: string[]
  /** Untracked files of that kind, and repos inside of the mission. They are not its work, so they stay where they are. */
  leftOut: string[]
}

export async function uncommittedFiles(
  repo: MissionRepo,
  { head, tree, leftOut }: PresentState,
): Promise<Uncommitted> {
  const from = head ?? (await emptyTree(repo))
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, tree]
  const listed = await outputOf(libraryGit(repo, args), 'cannot compare the files')
  const recorded = listed.split('\0').filter(path => path !== '')
  const others = leftOut.filter(path => !recorded.includes(path))
  const filtered = await withFilter(repo, others)
  const rest = others.filter(path => !filtered.includes(path))
  const tracked = await trackedOf(repo, head, rest)
  return {
    recorded,
    filtered,
    excluded: rest.filter(path => tracked.has(path)),
    leftOut: rest.filter(path => !tracked.has(path)),
  }
}

async function withFilter(repo: MissionRepo, paths: readonly string[]): Promise<string[]> {
  const files = paths.filter(path => !path.endsWith('/'))
  if (files.length === 0) return []
  const asked = await outputOf(
    libraryGit(repo, ['check-attr', '-z', '--stdin', 'filter'], {
      env: { GIT_WORK_TREE: repo.directory },
      input: files.map(path => `${path}\0`).join(''),
    }),
    'cannot read the attributes of the files',
  )
  const fields = asked.split('\0')
  return files.filter((_, index) => !['unspecified', 'unset'].includes(fields[index * 3 + 2]!))
}

async function trackedOf(
  repo: MissionRepo,
  head: string | null,
  paths: readonly string[],
): Promise<Set<string>> {
  if (head === null || paths.length === 0) return new Set()
  const args = ['ls-tree', '-r', '-z', '--name-only', head]
  const listed = await outputOf(libraryGit(repo, args), 'cannot list the files')
  const all = new Set(listed.split('\0'))
  return new Set(paths.filter(path => all.has(path)))
}

const shownNames = 3

/** `3 files: a, b, c` */
export function someFiles(paths: readonly string[]): string {
  const names = paths.slice(0, shownNames).map(cleanText).join(', ')
  const more = paths.length > shownNames ? ', …' : ''
  return `${paths.length} ${paths.length === 1 ? 'file' : 'files'}: ${names}${more}`
}

function refuseUncommitted(
  mission: MissionRecord,
  uncommitted: Uncommitted,
  { commit }: LandingOptions,
): void {
  const { recorded, filtered, excluded } = uncommitted
  const title = missionTitle(mission)
  if (filtered.length > 0) throw cannotFilter(title, filtered)
  if (commit !== undefined) return
  const paths = [...recorded, ...excluded]
  if (paths.length > 0)
    throw withHelp(
      new AgencError(
        `${title} has uncommitted changes in ${someFiles(paths)}`,
        'Have its Claude commit them with --ask, or commit them in your name with: --commit <message>',
      ),
      askToCommit(paths),
    )
}

function cannotFilter(title: string, paths: readonly string[]): AgencError {
  return withHelp(
    new AgencError(
      `${title} has uncommitted changes in ${someFiles(paths)}`,
      'They have a git filter, such as LFS, which agenc does not run. Have its Claude commit them with --ask.',
    ),
    askToCommit(paths),
  )
}

async function commitWork(
  context: Context,
  db: Database,
  mission: MissionRecord,
  work: {
    repo: MissionRepo
    state: PresentState
    message: string
    isBusy: boolean
    uncommitted: Uncommitted
  },
): Promise<PresentState> {
  const { repo, state, uncommitted } = work
  const title = missionTitle(mission)
  if (work.isBusy)
    throw new AgencError(
      `${title} is working, so its uncommitted files still change`,
      'Wait until it is idle, then try again.',
    )
  if (uncommitted.filtered.length > 0) throw cannotFilter(title, uncommitted.filtered)
  const checkout = await checkoutOf(context, db, mission)
  const trusted = mission.repo !== null && getRepo(db, mission.repo)?.trusted === 1
  await commitOnBranch(repo, {
    tree: state.tree,
    parent: state.head,
    branch: await branchOf(repo, mission, state),
    message: work.message,
    user: asUser(context, (checkout && gitDirOf(context, checkout)) ?? repo.library),
    runsHooks: trusted,
  })
  for (const path of uncommitted.excluded) context.err.line(`Not committed: ${cleanText(path)}`)
  const now = (await presentState(context, repo))!
  if (now.snapshot) {
    const changes = await measureChanges(repo, mission, now.snapshot, context.now())
    missionService(context, db).change(mission.id, { changes: JSON.stringify(changes) })
  }
  return now
}

/** The branch that HEAD names, also before its first commit. */
export async function branchOf(
  repo: MissionRepo,
  mission: MissionRecord,
  { snapshot, branch }: PresentState,
): Promise<string> {
  if (branch !== null) return branch
  if (snapshot === null || ownObjects(repo) === null) {
    if (mission.branch !== null) return mission.branch
  } else {
    const asked = await ownGit(repo, ['symbolic-ref', '--quiet', 'HEAD'])
    const name = asked.stdout.trim().replace(/^refs\/heads\//, '')
    if (asked.exitCode === 0 && name !== '') return name
  }
  throw new AgencError(
    `${missionTitle(mission)} is on no branch (detached HEAD)`,
    `Give its work a branch with: git -C ${repo.directory} switch -c <name>`,
  )
}

async function refuseNothing(
  repo: MissionRepo,
  mission: MissionRecord,
  head: string,
  base: string | null,
): Promise<void> {
  if (base === null) return
  const counted = await outputOf(
    libraryGit(repo, ['rev-list', '--count', head, `^${base}`]),
    'cannot count the commits',
  )
  if (Number(counted) > 0) return
  throw new AgencError(
    `${missionTitle(mission)} has nothing to land: ${mission.base_ref ?? 'the default branch'} has all its commits`,
    `If it is finished: agenc mission done ${shortId(mission.id)}`,
  )
}
