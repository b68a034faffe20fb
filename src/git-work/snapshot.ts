import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AgencError } from '../errors.ts'
import { gitFailed } from '../repo/git.ts'
import { makeStaging, removeTree, sweepStaging } from '../repo/staging.ts'
import type { Result } from '../system/runner.ts'
import { emptyTree } from './changes.ts'
import {
  checkpointRefs,
  keptRefs,
  libraryGit,
  type MissionRepo,
  outputOf,
  ownGit,
  ownObjects,
  type RepoGitOptions,
  withObjects,
} from './mission-repo.ts'
import { moveObjects } from './move-objects.ts'
import { recordTree, type TreeOptions } from './working-tree.ts'

/** The state of a mission's directory, as a commit in the library. */
export interface Snapshot {
  /** Its tree is the working tree. Its parent is `head`. */
  commit: string
  tree: string
  /** The commit that HEAD names. Null before the first commit. */
  head: string | null
  /** The name of the current branch. Null if HEAD is detached or has no commit. */
  branch: string | null
  /** There are changes that are not committed. */
  isDirty: boolean
  /**
   * Changed or untracked files that are not in it: excluded by the settings, unreadable, with a filter, or a repo of their
   * own. Empty unless asked for.
   */
  leftOut: string[]
  /** The number of the checkpoint, if it is one. */
  turn: number | null
}

export interface SnapshotOptions extends TreeOptions {
  /** Makes the snapshot a checkpoint, with the next free number. */
  isCheckpoint?: boolean
  now: Date
}

/**
 * Records the working tree with its untracked files, and copies the mission's branches to the library. Index, HEAD, stash
 * and hooks of the mission are not touched. Nothing is recorded by half: the refs in the library come last.
 */
export async function takeSnapshot(repo: MissionRepo, options: SnapshotOptions): Promise<Snapshot> {
  const own = ownObjects(repo)
  if (own === null)
    throw new AgencError(
      `${repo.directory} has no git repo of its own`,
      'Its .git directory was removed or replaced.',
    )
  if (!existsSync(repo.library))
    throw new AgencError(
      `cannot keep the work, because its repo is no longer in the library: ${repo.library}`,
      'Add it again with: agenc repo add',
    )
  const low = { signal: options.signal, isLow: options.isLow }
  await sweepStaging(repo.library)
  const staging = makeStaging(repo.library)
  try {
    const [refs, kept] = await Promise.all([readOwnRefs(repo, low), readKeptRefs(repo, low)])
    const [ofHead, last, { tree, leftOut }] = await Promise.all([
      readCommit(repo, own, refs.head, low),
      readCommit(repo, own, kept.refs.get(keptRefs(repo.id).now), low),
      recordTree(repo, staging, inStaging(staging, [own]), refs.head, options),
    ])
    const isSame = last?.tree === tree && last.parent === (refs.head ?? '')
    const commit = isSame
      ? last.commit
      : await makeCommit(repo, inStaging(staging, [own]), tree, refs.head, options)
    const turn = await keep(
      repo,
      refs,
      kept,
      { commit, own, staging, isCheckpoint: options.isCheckpoint },
      low,
    )
    const isDirty = tree !== (ofHead?.tree ?? (await emptyTree(repo)))
    return { commit, tree, head: refs.head, branch: refs.branch, isDirty, leftOut, turn }
  } finally {
    await removeTree(staging)
  }
}

/** git writes new objects to `staging`, so that nothing stays behind if it fails. */
function inStaging(staging: string, others: readonly string[]): NodeJS.ProcessEnv {
  return { GIT_OBJECT_DIRECTORY: staging, ...withObjects(others) }
}

const branchRefs = 'refs/heads/'

/** The refs of the mission's own repo. */
interface OwnRefs {
  head: string | null
  branch: string | null
  heads: Map<string, string>
  lastTurn: number
}

async function readOwnRefs(repo: MissionRepo, low: RepoGitOptions): Promise<OwnRefs> {
  const args = ['for-each-ref', '--format=%(HEAD)%(objectname) %(refname)', branchRefs, checkpointRefs]
  const listed = await outputOf(ownGit(repo, args, low), "cannot read the mission's branches")
  const current = listed.split('\n').find(line => line.startsWith('*'))
  const refs = parseRefs(listed.replaceAll(/^[* ]/gm, ''))
  const heads = namesBelow(refs, branchRefs)
  return {
    head: current ? current.slice(1).split(' ')[0]! : await detachedHead(repo, low),
    branch: current ? current.slice(current.indexOf(branchRefs) + branchRefs.length) : null,
    heads,
    lastTurn: lastTurnOf(namesBelow(refs, checkpointRefs)),
  }
}

async function detachedHead(repo: MissionRepo, low: RepoGitOptions): Promise<string | null> {
  const asked = await ownGit(repo, ['rev-parse', '--quiet', '--verify', 'HEAD'], low)
  return asked.exitCode === 0 ? asked.stdout.trim() : null
}

/** What the library already has: the mission's refs by name, and the tips of the repo's own branches. */
interface KeptRefs {
  refs: Map<string, string>
  tips: string[]
}

async function readKeptRefs(repo: MissionRepo, low: RepoGitOptions): Promise<KeptRefs> {
  const { root } = keptRefs(repo.id)
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', root, 'refs/heads', 'refs/remotes']
  const refs = parseRefs(await outputOf(libraryGit(repo, args, low), 'cannot read the library'))
  return {
    refs: new Map([...refs].filter(([ref]) => ref.startsWith(root))),
    tips: [...new Set(refs.values())],
  }
}

function parseRefs(listed: string): Map<string, string> {
  const lines = listed.split('\n').filter(line => line !== '')
  return new Map(lines.map(line => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]))
}

function namesBelow(refs: ReadonlyMap<string, string>, prefix: string): Map<string, string> {
  const below = [...refs].filter(([ref]) => ref.startsWith(prefix))
  return new Map(below.map(([ref, object]) => [ref.slice(prefix.length), object]))
}

function lastTurnOf(checkpoints: ReadonlyMap<string, string>): number {
  return Math.max(0, ...[...checkpoints.keys()].map(Number).filter(Number.isSafeInteger))
}

interface KnownCommit {
  commit: string
  tree: string
  /** Empty if it has none. */
  parent: string
}

/** Returns null if the mission's own repo does not have the commit. */
async function readCommit(
  repo: MissionRepo,
  own: string,
  commit: string | null | undefined,
  low: RepoGitOptions,
): Promise<KnownCommit | null> {
  if (commit == null) return null
  const env = { GIT_OBJECT_DIRECTORY: own, GIT_ALTERNATE_OBJECT_DIRECTORIES: '' }
  const args = ['log', '--no-walk', '--format=%T %P', commit, '--']
  const read = await libraryGit(repo, args, { ...low, env })
  if (read.exitCode !== 0) return null
  const [tree = '', parent = ''] = read.stdout.trim().split(' ')
  return { commit, tree, parent }
}

async function makeCommit(
  repo: MissionRepo,
  objects: NodeJS.ProcessEnv,
  tree: string,
  head: string | null,
  { now, signal, isLow }: SnapshotOptions,
): Promise<string> {
  const args = ['commit-tree', tree, ...(head === null ? [] : ['-p', head]), '-m', 'agenc: working tree']
  const made = libraryGit(repo, args, { signal, isLow, env: { ...identity(now), ...objects } })
  return (await outputOf(made, 'cannot record the files')).trim()
}

/** The user's name does not belong on what they did not write. */
function identity(now: Date): NodeJS.ProcessEnv {
  const date = now.toISOString()
  return {
    GIT_AUTHOR_NAME: 'agenc',
    GIT_AUTHOR_EMAIL: 'agenc@localhost',
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: 'agenc',
    GIT_COMMITTER_EMAIL: 'agenc@localhost',
    GIT_COMMITTER_DATE: date,
  }
}

interface Recorded {
  commit: string
  /** The mission's own objects. */
  own: string
  staging: string
  isCheckpoint?: boolean
}

/**
 * Copies the objects to the library, then names them there. The library never depends on the mission's directory. Returns
 * the number of the checkpoint.
 */
async function keep(
  repo: MissionRepo,
  { heads, head, lastTurn }: OwnRefs,
  kept: KeptRefs,
  { commit, own, staging, isCheckpoint }: Recorded,
  low: RepoGitOptions,
): Promise<number | null> {
  const names = keptRefs(repo.id)
  const branches = new Map([...heads].map(([name, object]) => [`${names.heads}${name}`, object]))
  const state = new Map([[names.now, commit], ...(head === null ? [] : [[names.head, head] as const])])
  const all = new Map([...branches, ...state])
  // A branch may be incomplete, as after a partial fetch. Then only what is checked out is kept.
  const env = inStaging(staging, [join(repo.library, 'objects'), own])
  const copied = await copyObjects(repo, all, kept, env, low)
  const wanted = copied.exitCode === 0 ? all : state
  if (copied.exitCode !== 0) {
    const once = await copyObjects(repo, state, kept, env, low)
    if (once.exitCode !== 0) throw cannotCopy(repo, own, once)
  }
  await moveObjects(staging, own)
  const gone = [...kept.refs.keys()].filter(ref => ref.startsWith(names.heads) && !branches.has(ref))
  // Deletions come first: a branch `a` must be gone before `a/b` can be stored.
  await updateRefs(repo, gone.map(ref => `delete ${ref}\n`).join(''), low)
  const changed = [...wanted].filter(([ref, object]) => kept.refs.get(ref) !== object)
  const updates = changed.map(([ref, object]) => `update ${ref} ${object}\n`).join('')
  if (!isCheckpoint) {
    await updateRefs(repo, updates, low)
    return null
  }
  // Numbers are not used twice, even if the mission's own refs were deleted.
  const first = 1 + Math.max(lastTurn, lastTurnOf(namesBelow(kept.refs, names.checkpoints)))
  const turn = await createCheckpoint(repo, first, commit, updates, low)
  const config = ['core.logAllRefUpdates=false']
  const named = ownGit(repo, ['update-ref', `${checkpointRefs}${turn}`, commit], { ...low, config })
  await outputOf(named, 'cannot name the checkpoint')
  return turn
}

function cannotCopy(repo: MissionRepo, own: string, result: Result): AgencError {
  const what = 'cannot copy the work to the library'
  if (!existsSync(join(own, '..', 'shallow'))) return gitFailed(what, result)
  return new AgencError(
    `${what}: parts of the mission's history are missing`,
    `As after a fetch with --depth. Fetch them with: git -C ${repo.directory} fetch --unshallow`,
  )
}

/** Another process may take the same number. */
async function createCheckpoint(
  repo: MissionRepo,
  turn: number,
  commit: string,
  updates: string,
  low: RepoGitOptions,
): Promise<number> {
  const ref = `${keptRefs(repo.id).checkpoints}${turn}`
  const done = await tryToUpdateRefs(repo, `${updates}create ${ref} ${commit}\n`, low)
  if (done.exitCode === 0) return turn
  const taken = await libraryGit(repo, ['rev-parse', '--quiet', '--verify', ref], low)
  if (taken.exitCode === 0) return createCheckpoint(repo, turn + 1, commit, updates, low)
  await outputOf(Promise.resolve(done), cannotStore)
  return turn
}

/** Writes one pack that needs no other, as `git repack` does. */
function copyObjects(
  repo: MissionRepo,
  wanted: ReadonlyMap<string, string>,
  { tips }: KeptRefs,
  env: NodeJS.ProcessEnv,
  low: RepoGitOptions,
): Promise<Result> {
  const input = [...wanted.values(), ...tips.map(object => `^${object}`)].map(line => `${line}\n`).join('')
  const args = ['pack-objects', '--revs', '--non-empty', '--quiet', '--threads=1', '--no-use-bitmap-index']
  return libraryGit(repo, [...args, join(repo.library, 'objects', 'pack', 'pack')], {
    ...low,
    input,
    env,
    // The mission's own lists of its objects may be wrong, and then something would be missing.
    config: ['core.commitGraph=false', 'core.multiPackIndex=false', 'core.bigFileThreshold=32m'],
  })
}

const cannotStore = 'cannot store the work in the library'

async function updateRefs(repo: MissionRepo, input: string, low: RepoGitOptions): Promise<void> {
  if (input !== '') await outputOf(tryToUpdateRefs(repo, input, low), cannotStore)
}

async function tryToUpdateRefs(repo: MissionRepo, input: string, low: RepoGitOptions): Promise<Result> {
  const config = ['core.filesRefLockTimeout=1000', 'core.packedRefsTimeout=1000']
  const update = () => libraryGit(repo, ['update-ref', '--stdin'], { ...low, input, config })
  const done = await update()
  return done.exitCode !== 0 && removeAbandonedLocks(repo) ? update() : done
}

const abandonedMs = 60_000

/** A git that was killed leaves the locks of its refs behind. Returns whether there were any. */
function removeAbandonedLocks(repo: MissionRepo): boolean {
  const root = join(repo.library, keptRefs(repo.id).root)
  const names = existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }) : []
  const locks = names.filter(name => name.endsWith('.lock')).map(name => join(root, name))
  const old = [...locks, join(repo.library, 'packed-refs.lock')].filter(lock => {
    const stats = statSync(lock, { throwIfNoEntry: false })
    return stats !== undefined && Date.now() - stats.mtimeMs > abandonedMs
  })
  for (const lock of old) rmSync(lock, { force: true })
  return old.length > 0
}
