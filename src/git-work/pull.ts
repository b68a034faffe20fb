import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { quoteForShell } from '../io/shell-quote.ts'
import { cleanText } from '../io/text.ts'
import { missionService } from '../mission/open-service.ts'
import { missionTitle } from '../mission/tell-done.ts'
import { askGit, gitFailed, runGit } from '../repo/git.ts'
import { asUser } from './as-user.ts'
import {
  type BranchStep,
  type Checkout,
  commitOf,
  currentBranch,
  moveForward,
  refuseDirty,
  worktreeOn,
} from './checkout-branch.ts'
import { compose, isAncestor, type Way } from './compose.ts'
import { findCheckout, refuseOtherRepo } from './find-checkout.ts'
import { askToCombine, withHelp } from './help-of-claude.ts'
import { pulledEvent } from './known-checkouts.ts'
import { type LandingWork, readyToLand, refuseForeignDirectory, someFiles } from './landing.ts'
import { copyLargeFiles } from './large-files.ts'
import { keptRefs, libraryGit, missionRepo, outputOf, ownObjects, withObjects } from './mission-repo.ts'
import { copyToMission } from './sync.ts'

export interface PullWish {
  into?: string
  /** Without a way, a branch is made and nothing else. */
  way: Way | null
  onto?: string
  /** The name of that branch, if it is not the mission's own. */
  as?: string
  /** Replaces a branch of the same name that has other commits. */
  force?: boolean
  commit?: string
  message?: string
}

export interface Pulled {
  into: string
  branch: string
  /** The branch that was moved: the mission's own, or the one that its work was brought onto. */
  onto: string
  commit: string
  /** Commits of the mission that were taken. */
  commits: number
  changed: boolean
  way: Way | null
}

/** Brings a mission's branch into a checkout. Everything is composed first, so a conflict leaves nothing behind. */
export async function pullWork(
  context: Context,
  db: Database,
  mission: MissionRecord,
  wish: PullWish,
): Promise<Pulled> {
  refuseForeignDirectory(mission)
  missionRepo(context, mission)
  const checkout = await findCheckout(context, db, mission, wish.into)
  const work = await readyToLand(context, db, mission, { commit: wish.commit })
  refuseOtherRepo(context, db, mission, work, checkout)
  const onto = wish.way === null ? (wish.as ?? work.branch) : (wish.onto ?? branchThere(context, checkout))
  await fetchBranch(context, checkout, work)
  const large = copyLargeFiles(
    work.snapshot === null ? work.repo.library : join(work.repo.directory, '.git'),
    checkout.gitDir,
  )
  const move =
    wish.way === null
      ? asBranch(context, checkout, { branch: onto, head: work.head }, wish)
      : await composed(context, checkout, work, mission, { ...wish, way: wish.way, onto })
  if (move !== null) await moveForward(context, checkout, onto, move)
  if (large > 0)
    context.err.line(
      `${large} ${large === 1 ? 'file' : 'files'} of git LFS came along. To see them: git lfs checkout`,
    )
  const commit = move?.to ?? work.head
  const commits = await countCommits(work)
  missionService(context, db).change(mission.id, {}, [
    pulledEvent,
    { into: checkout.root, branch: work.branch, onto, commit, way: wish.way },
  ])
  return {
    into: checkout.root,
    branch: work.branch,
    onto,
    commit,
    commits,
    changed: move !== null,
    way: wish.way,
  }
}

function branchThere(context: Context, checkout: Checkout): string {
  const branch = currentBranch(context, checkout)
  if (branch !== null) return branch
  throw new AgencError(
    `${cleanText(checkout.root)} is on no branch (detached HEAD)`,
    'Switch to one there, or name one with --onto <branch>.',
  )
}

async function countCommits({ repo, head, base }: LandingWork): Promise<number> {
  const range = base === null ? [head] : [head, `^${base}`]
  return Number(
    await outputOf(libraryGit(repo, ['rev-list', '--count', ...range]), 'cannot count the commits'),
  )
}

/** Only objects: nothing in the checkout names them yet. */
async function fetchBranch(
  context: Context,
  checkout: Checkout,
  { repo, branch, head }: LandingWork,
): Promise<void> {
  const ref = `${keptRefs(repo.id).heads}${branch}`
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', repo.library, ref]
  const config = ['gc.auto=0', 'maintenance.auto=false']
  const fetched = await runGit(context, args, { gitDir: checkout.gitDir, config })
  if (fetched.exitCode !== 0) throw gitFailed(`cannot copy the work to ${cleanText(checkout.root)}`, fetched)
  const isThere = askGit(context, ['cat-file', '-e', head], { gitDir: checkout.gitDir }).exitCode === 0
  if (!isThere) throw new AgencError("the mission's branch has changed in the meantime", 'Try again.')
}

/** Null if the branch is already there. */
function asBranch(
  context: Context,
  checkout: Checkout,
  { branch, head }: Pick<LandingWork, 'branch' | 'head'>,
  { force }: PullWish,
): BranchStep | null {
  const from = commitOf(context, checkout, branch)
  if (from === head) return null
  const isForward =
    from === null ||
    askGit(context, ['merge-base', '--is-ancestor', from, head], { gitDir: checkout.gitDir }).exitCode === 0
  if (isForward) return { from, to: head }
  if (!force)
    throw new AgencError(
      `${cleanText(checkout.root)} has a branch ${branch} with other commits`,
      'Give the work another name there with --as <name>, or replace that branch with --force.',
    )
  const worktree = worktreeOn(context, checkout, branch)
  if (worktree !== null)
    throw new AgencError(
      `the branch ${branch} is checked out in ${cleanText(worktree)}`,
      'Switch to another branch there, then try again.',
    )
  context.err.line(`Replaced ${branch}, which was at ${from.slice(0, 12)}.`)
  return { from, to: head }
}

async function composed(
  context: Context,
  checkout: Checkout,
  work: LandingWork,
  mission: MissionRecord,
  wish: PullWish & { way: Way; onto: string },
): Promise<BranchStep | null> {
  const { repo, head, branch } = work
  const { way, onto } = wish
  const target = commitOf(context, checkout, onto)
  if (target === null) {
    if (wish.onto !== undefined && onto !== currentBranch(context, checkout))
      throw new AgencError(
        `${cleanText(checkout.root)} has no branch ${onto}`,
        `List them with: git -C ${quoteForShell(checkout.root)} branch`,
      )
    return { from: null, to: head }
  }
  refuseDirty(context, checkout, onto)
  const objects = [join(repo.library, 'objects'), ownObjects(repo)].filter(path => path !== null)
  const env = { GIT_OBJECT_DIRECTORY: join(checkout.gitDir, 'objects'), ...withObjects(objects) }
  if (await isAncestor(repo, head, target, env)) return null
  const message = wish.message ?? (await defaultMessage(work, mission, { way, onto, target, env }))
  const user = asUser(context, checkout.gitDir)
  const made = await compose(repo, { way, target, head, message, user, env })
  if ('conflicts' in made)
    throw withHelp(
      new AgencError(
        `${branch} conflicts with ${onto} in ${someFiles(made.conflicts)}`,
        [
          ...made.conflicts.map(path => `  ${cleanText(path)}`),
          `Nothing was changed. With --ask, its Claude resolves them. Or bring ${onto} into the mission: agenc mission sync`,
        ].join('\n'),
      ),
      {
        request: askToCombine(
          { name: `${onto} of the user`, commit: target, isRebase: way === 'rebase' },
          made.conflicts,
        ),
        prepare: () => copyToMission(repo, target, head, [join(checkout.gitDir, 'objects')]),
      },
    )
  return made.commit === target ? null : { from: target, to: made.commit }
}

async function defaultMessage(
  work: LandingWork,
  mission: MissionRecord,
  { way, onto, target, env }: { way: Way; onto: string; target: string; env: NodeJS.ProcessEnv },
): Promise<string> {
  if (way === 'merge')
    return `Merge branch '${work.branch}'${/^(main|master)$/.test(onto) ? '' : ` into ${onto}`}`
  // The mission may have merged a newer base. Those commits are not its work.
  const range = [work.head, `^${target}`, ...(work.base === null ? [] : [`^${work.base}`])]
  const args = ['log', '--reverse', '--no-merges', '-z', '--encoding=UTF-8', '--format=%B', ...range]
  const messages = (await outputOf(libraryGit(work.repo, args, { env }), 'cannot read the messages')).split(
    '\0',
  )
  const texts = messages.map(text => text.trim()).filter(text => text !== '')
  if (texts.length === 1) return texts[0]!
  const subjects = texts.map(text => text.split('\n')[0]!)
  // Never words of a prompt: the message gets public.
  return [mission.name ?? subjects[0] ?? work.branch, '', ...subjects.map(text => `* ${text}`)].join('\n')
}

export function describePull(mission: MissionRecord, pulled: Pulled): string {
  const { branch, onto, into, commits, changed, way } = pulled
  if (!changed) return `${onto} in ${into} already has the work of ${missionTitle(mission)}.`
  const count = `${commits} ${commits === 1 ? 'commit' : 'commits'}`
  return way === null
    ? `${onto} is now a branch of ${into}, with ${count}.`
    : `${onto} in ${into} now has the work of ${branch}, ${count}.`
}
