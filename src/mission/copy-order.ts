import { usageError } from '../errors.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import {
  type Base,
  commitOf,
  commonCommit,
  defaultBase,
  findBase,
  type LibraryRepo,
  noSuchBase,
  obstacleTo,
  remoteBranch,
} from '../repo/start-point.ts'
import type { Start } from '../repo/working-copy.ts'

/** How a mission's working copy is made when it starts. Stored as JSON until then. */
export interface CopyOrder {
  /** A branch, tag or commit. Null for the default branch. */
  base: string | null
  /** The branch to create. Null stays on the base branch. */
  branch: string | null
  /** The user named the branch, so it is checked out if the remote has it. */
  isNamed: boolean
  /** The ref in the library that has the head of a pull request. */
  pullRequest: string | null
  /** Nothing is fetched. */
  isOffline: boolean
}

export interface DecidedStart {
  start: Start
  /** Null if the repo has no commits. */
  base: Base | null
}

/** Where a mission starts, as the library is now. Throws if there is no such place. Nothing is changed. */
export function decideStart(repo: LibraryRepo, order: CopyOrder, id: MissionId): DecidedStart {
  const base = order.base === null ? defaultBase(repo) : findBase(repo, order.base)
  if (base === null && order.base !== null) throw noSuchBase(repo, order.base)
  const existing = existingHead(repo, order, id)
  if (existing === null) return { start: newBranch(repo, order, base, id), base }
  const { commit } = existing
  const common = base === null ? commit : (commonCommit(repo, base.commit, commit) ?? base.commit)
  return { start: existing, base: base === null ? null : { ...base, commit: common } }
}

/** The head of a pull request, or of a branch that the remote has. */
function existingHead(
  repo: LibraryRepo,
  order: CopyOrder,
  id: MissionId,
): (Start & { commit: string }) | null {
  const { pullRequest, branch, isNamed } = order
  if (pullRequest !== null) {
    const commit = commitOf(repo, pullRequest)
    if (commit === null) throw noSuchBase(repo, pullRequest)
    return { commit, branch: unusedName(repo, branch!, id), isNew: true }
  }
  const commit = isNamed ? remoteBranch(repo, branch!) : null
  if (commit === null) return null
  if (order.base !== null)
    throw usageError(
      `the remote has a branch ${JSON.stringify(branch)}, so it cannot start from ${JSON.stringify(order.base)}`,
      'Omit --base to continue that branch, or give another name with --branch.',
    )
  return { commit, branch, isNew: false }
}

function newBranch(repo: LibraryRepo, order: CopyOrder, base: Base | null, id: MissionId): Start {
  const commit = base?.commit ?? null
  if (order.branch === null) return { commit, branch: base?.isBranch ? base.ref : null, isNew: false }
  const name = order.isNamed ? order.branch : unusedName(repo, order.branch, id)
  const obstacle = obstacleTo(repo, name)
  if (obstacle === undefined) return { commit, branch: name, isNew: true }
  throw usageError(
    `a branch ${JSON.stringify(name)} cannot be created, because there is a branch ${JSON.stringify(obstacle)}`,
    'Give another name with --branch, or with the setting missions.branch.',
  )
}

/** A template without `{id}` can make a name that the remote has. */
function unusedName(repo: LibraryRepo, name: string, id: MissionId): string {
  const free = remoteBranch(repo, name) === null ? name : `${name}-${shortId(id)}`
  return obstacleTo(repo, free) === undefined ? free : free.replaceAll('/', '-')
}
