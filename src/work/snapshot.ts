import { accessSync, constants, copyFileSync, existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AgencError } from '../errors.ts'
import { disabledFilters, gitFailed } from '../repo/git.ts'
import {
  checkpointRefs,
  keptRefs,
  libraryGit,
  type MissionRepo,
  outputOf,
  ownGit,
  ownObjects,
  type RepoGitOptions,
} from './mission-repo.ts'

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

export interface SnapshotOptions extends Pick<RepoGitOptions, 'signal' | 'isLow'> {
  /** Patterns of `missions.checkpoint_exclude`. */
  exclude: readonly string[]
  /** Lists the files that are left out, which takes as long as `git status`. */
  listsLeftOut?: boolean
  /** Makes the snapshot a checkpoint, with the next free number. */
  isCheckpoint?: boolean
  now: Date
}

/**
 * Records the working tree with its untracked files, and copies the mission's branches to the library. Index, HEAD, stash
 * and hooks of the mission are not touched. Nothing is recorded by half: the refs in the library come last.
 */
export async function takeSnapshot(repo: MissionRepo, options: SnapshotOptions): Promise<Snapshot> {
  const objects = ownObjects(repo)
  if (objects === null)
    throw new AgencError(
      `${repo.directory} has no git repo of its own`,
      'Its .git directory was removed or replaced.',
    )
  const low = { signal: options.signal, isLow: options.isLow }
  const [refs, kept] = await Promise.all([readOwnRefs(repo, low), readKeptRefs(repo, low)])
  const index = join(dirname(repo.directory), `${snapshotIndexPrefix}${process.pid}-${++indexes}`)
  try {
    const env = {
      GIT_WORK_TREE: repo.directory,
      GIT_INDEX_FILE: index,
      GIT_OBJECT_DIRECTORY: objects,
      // The objects of the library are not needed, because the mission has its own links to them.
      GIT_ALTERNATE_OBJECT_DIRECTORIES: '',
    }
    await prepareIndex(repo, index, refs.head, { ...low, env })
    const leftOut = await updateIndex(repo, options, { ...low, env })
    const git = (args: string[], more: NodeJS.ProcessEnv = {}) =>
      outputOf(libraryGit(repo, args, { ...low, env: { ...env, ...more } }), 'cannot record the working tree')
    const tree = (await git(['write-tree'])).trim()
    // Numbers are not used twice, even if the mission's own refs were deleted.
    const lastTurn = Math.max(refs.lastTurn, lastTurnOf(namesBelow(kept.refs, keptRefs(repo.id).checkpoints)))
    const turn = options.isCheckpoint ? lastTurn + 1 : null
    const title = turn === null ? 'agenc: working tree' : `agenc: checkpoint ${turn}`
    const parents = refs.head === null ? [] : ['-p', refs.head]
    const commit = (await git(['commit-tree', tree, ...parents, '-m', title], identity(options.now))).trim()
    const headTree =
      refs.head === null ? null : (await git(['rev-parse', '--verify', `${refs.head}^{tree}`])).trim()
    const isDirty = headTree === null ? (await git(['ls-tree', tree])) !== '' : headTree !== tree
    await keep(repo, refs, kept, { commit, turn }, low)
    return { commit, tree, head: refs.head, branch: refs.branch, isDirty, leftOut, turn }
  } finally {
    rmSync(index, { force: true })
    rmSync(`${index}.lock`, { force: true })
  }
}

/** Starts the name of an index that is deleted when the snapshot is done. */
export const snapshotIndexPrefix = 'snapshot-index-'
let indexes = 0

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

/** A copy of the mission's index knows which files are unchanged, so that git need not read all of them. */
async function prepareIndex(
  repo: MissionRepo,
  index: string,
  head: string | null,
  options: RepoGitOptions,
): Promise<void> {
  const own = join(repo.directory, '.git', 'index')
  if (existsSync(own)) {
    copyFileSync(own, index)
    const readable = await libraryGit(repo, ['ls-files', '--', ':(literal)-'], options)
    if (readable.exitCode === 0) return
    // A split index refers to a file beside the original.
    rmSync(index, { force: true })
  }
  await outputOf(libraryGit(repo, ['read-tree', head ?? '--empty'], options), 'cannot read the index')
}

/** Only files without a filter: its program would have to run. */
async function updateIndex(
  repo: MissionRepo,
  { exclude, listsLeftOut = false }: SnapshotOptions,
  options: RepoGitOptions,
): Promise<string[]> {
  const left = exclude.map(pattern => `:(exclude,glob)${pattern.includes('/') ? pattern : `**/${pattern}`}`)
  const wanted = await changedFiles(repo, [':(attr:!filter)', ':(attr:-filter)', ...left], options)
  const usable = wanted.filter(path => !path.endsWith('/') && isReadable(join(repo.directory, path)))
  if (usable.length > 0) {
    const done = await libraryGit(repo, ['update-index', '-z', '--add', '--remove', '--stdin'], {
      ...options,
      input: usable.map(path => `${path}\0`).join(''),
    })
    if (done.exitCode !== 0) throw gitFailed('cannot record the changed files', done)
  }
  if (!listsLeftOut) return []
  const config = disabledFilters(repo, { gitDir: repo.library })
  return changedFiles(repo, [], { ...options, config })
}

/** Files that differ from the index, and files that are not in it. */
async function changedFiles(
  repo: MissionRepo,
  pathspecs: readonly string[],
  options: RepoGitOptions,
): Promise<string[]> {
  const excludes = join(repo.directory, '.git', 'info', 'exclude')
  const ignored = ['--exclude-standard', ...(existsSync(excludes) ? [`--exclude-from=${excludes}`] : [])]
  const args = ['ls-files', '-z', '--modified', '--others', ...ignored, '--', ...pathspecs]
  const listed = await outputOf(libraryGit(repo, args, options), 'cannot list the changed files')
  return [...new Set(listed.split('\0').filter(path => path !== ''))]
}

/** A file that is gone counts as readable: its deletion is recorded. */
function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR'
  }
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

/** Copies the objects to the library, then names them there. The library never depends on the mission's directory. */
async function keep(
  repo: MissionRepo,
  { heads, head }: OwnRefs,
  kept: KeptRefs,
  { commit, turn }: { commit: string; turn: number | null },
  low: RepoGitOptions,
): Promise<void> {
  const names = keptRefs(repo.id)
  const wanted = new Map<string, string>([
    ...[...heads].map(([name, object]): [string, string] => [`${names.heads}${name}`, object]),
    [names.now, commit],
    ...(head === null ? [] : [[names.head, head] as [string, string]]),
    ...(turn === null ? [] : [[`${names.checkpoints}${turn}`, commit] as [string, string]]),
  ])
  const tips = [...new Set(wanted.values())].filter(object => !kept.tips.includes(object))
  if (tips.length > 0) await copyObjects(repo, tips, kept.tips, low)
  const gone = [...kept.refs.keys()].filter(ref => ref.startsWith(names.heads) && !wanted.has(ref))
  // Deletions come first: a branch `a` must be gone before `a/b` can be stored.
  await updateRefs(repo, gone.map(ref => `delete ${ref}\n`).join(''), low)
  const changed = [...wanted].filter(([ref, object]) => kept.refs.get(ref) !== object)
  await updateRefs(repo, changed.map(([ref, object]) => `update ${ref} ${object}\n`).join(''), low)
  if (turn === null) return
  const done = await ownGit(repo, ['update-ref', `${checkpointRefs}${turn}`, commit], low)
  if (done.exitCode !== 0) throw gitFailed('cannot name the checkpoint', done)
}

/** Writes one pack that needs no other, as `git repack` does. */
async function copyObjects(
  repo: MissionRepo,
  tips: readonly string[],
  present: readonly string[],
  low: RepoGitOptions,
): Promise<void> {
  const input = [...tips, ...present.map(object => `^${object}`)].map(line => `${line}\n`).join('')
  const args = ['pack-objects', '--revs', '--non-empty', '--quiet', '--threads=1']
  const pack = join(repo.library, 'objects', 'pack', 'pack')
  const packed = await libraryGit(repo, [...args, pack], { ...low, input })
  if (packed.exitCode !== 0) throw gitFailed('cannot copy the work to the library', packed)
}

async function updateRefs(repo: MissionRepo, input: string, low: RepoGitOptions): Promise<void> {
  if (input === '') return
  const done = await libraryGit(repo, ['update-ref', '--stdin'], { ...low, input })
  if (done.exitCode !== 0) throw gitFailed('cannot store the work in the library', done)
}
