import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { cleanText } from '../io/text.ts'
import { askGit, disabledFilters, type GitOptions, type GitTools, gitReason } from './git.ts'

const shownNames = 3

/** Describes work that would be lost, one line per kind. If that is unknown, returns a line about the failure. */
export function describeUnsavedWork({
  directory,
  library,
  ...tools
}: GitTools & { directory: string; library?: string }): string[] {
  const answer = findUnsavedWork(tools, directory, library)
  return describeAnswer(answer)
}

export function describeAnswer(answer: UnsavedWorkAnswer): string[] {
  if ('unknown' in answer) return [`cannot tell what is in it: ${cleanText(answer.unknown)}`]
  return linesOf(answer).filter(line => line !== undefined)
}

function linesOf(work: UnsavedWork): (string | undefined)[] {
  const unpushed = work.unpushed + work.unpushedInSubmodules
  return [
    files(work.uncommitted, 'uncommitted'),
    files(work.untracked, 'untracked'),
    unpushed > 0 ? count(unpushed, 'unpushed commit') : undefined,
    work.stashes > 0 ? count(work.stashes, 'stash', 'stashes') : undefined,
    work.hasFilesOutsideGit ? 'files in a directory that is not a git repo' : undefined,
  ]
}

function files(paths: readonly string[], what: string): string | undefined {
  if (paths.length === 0) return undefined
  const names = paths.slice(0, shownNames).map(cleanText).join(', ')
  return `${count(paths.length, `${what} file`)}: ${names}${paths.length > shownNames ? ', …' : ''}`
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

/** The work that would be lost if a directory were deleted. */
export interface UnsavedWork {
  /** Changed files that git tracks. */
  uncommitted: string[]
  untracked: string[]
  /** The number of commits that no remote has. */
  unpushed: number
  unpushedInSubmodules: number
  stashes: number
  /** The directory has files but is not a git repo, so all of them may be work. */
  hasFilesOutsideGit: boolean
}

export type UnsavedWorkAnswer = UnsavedWork | { unknown: string }

class Unknown extends Error {}

/**
 * Runs nothing from the directory, whatever its git settings say. A failure never counts as "nothing to lose".
 * `library` is the bare repo that the directory was cloned from, if any. A tag counts as saved if the library has it;
 * without a library, all tags do.
 */
export function findUnsavedWork(tools: GitTools, directory: string, library?: string): UnsavedWorkAnswer {
  try {
    if (!existsSync(directory)) return nothing()
    // git prints real paths, and they are compared with this one.
    if (existsSync(join(directory, '.git'))) return inRepo(tools, realpathSync(directory), library)
    return { ...nothing(), hasFilesOutsideGit: hasFile(directory) }
  } catch (error) {
    return { unknown: error instanceof Error ? error.message : String(error) }
  }
}

function nothing(): UnsavedWork {
  return {
    uncommitted: [],
    untracked: [],
    unpushed: 0,
    unpushedInSubmodules: 0,
    stashes: 0,
    hasFilesOutsideGit: false,
  }
}

/** Includes linked worktrees and submodules. Asks about each one separately, so that git does not start another git. */
function inRepo(tools: GitTools, root: string, library?: string): UnsavedWork {
  const entries = indexEntries(tools, root)
  const work = { ...nothing(), ...inWorktree(tools, root, entries), ...inHistory(tools, root, library) }
  const isRepo = (path: string) => existsSync(join(path, '.git'))
  const worktrees = linkedWorktrees(tools, root)
    .filter(isRepo)
    .map(path => realpathSync(path))
  for (const path of worktrees.filter(path => path !== root)) {
    addFrom(work, inWorktree(tools, path, indexEntries(tools, path)), relative(root, path))
  }
  for (const path of submodules(root, entries).filter(isRepo)) {
    const inner = inRepo(tools, path)
    addFrom(work, inner, relative(root, path))
    work.unpushedInSubmodules += inner.unpushed + inner.unpushedInSubmodules
    work.stashes += inner.stashes
  }
  return work
}

type FilesOfWorktree = Pick<UnsavedWork, 'uncommitted' | 'untracked'>

function addFrom(work: UnsavedWork, inner: FilesOfWorktree, prefix: string): void {
  work.uncommitted.push(...inner.uncommitted.map(path => join(prefix, path)))
  work.untracked.push(...inner.untracked.map(path => join(prefix, path)))
}

function inWorktree(tools: GitTools, root: string, index: readonly IndexEntry[]): FilesOfWorktree {
  const config = disabledFilters(tools, gitOf(root))
  const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=normal']
  const listed = ask(tools, [...args, '--ignore-submodules=dirty'], { ...gitOf(root), config })
  const entries = listed.split('\0').filter(entry => entry !== '')
  const paths = (isWanted: (entry: string) => boolean) =>
    entries.filter(isWanted).map(entry => entry.slice(3))
  return {
    untracked: paths(entry => entry.startsWith('??')),
    uncommitted: [...paths(entry => !entry.startsWith('??')), ...hiddenChanges(root, index)],
  }
}

/** Names the commit of a submodule as agenc fetched it. It came from a remote, but need not be on any of its branches. */
export const fetchedRef = 'refs/agenc/fetched/commit'
const fetchedRefs = 'refs/agenc/fetched/*'

/** What agenc recorded after each turn. The library has a copy of it. */
const recordedRefs = 'refs/agenc/checkpoints/*'

const refsElsewhere = [
  'refs/remotes/*',
  'refs/tags/*',
  'refs/stash',
  'refs/prefetch/*',
  fetchedRefs,
  recordedRefs,
]

function inHistory(
  tools: GitTools,
  root: string,
  library?: string,
): Pick<UnsavedWork, 'unpushed' | 'stashes'> {
  const elsewhere = refsElsewhere.map(refs => `--exclude=${refs}`)
  const ownTags = library === undefined ? [] : tagsOnlyIn(tools, root, library)
  const unpushed = ask(
    tools,
    ['rev-list', '--count', ...elsewhere, '--all', ...ownTags, '--not', ...remoteRefs(tools, root)],
    gitOf(root),
  )
  const hasStash =
    askGit(tools, ['rev-parse', '--quiet', '--verify', 'refs/stash'], gitOf(root)).exitCode === 0
  const stashes = hasStash ? ask(tools, ['rev-list', '--walk-reflogs', 'refs/stash', '--'], gitOf(root)) : ''
  return { unpushed: Number(unpushed), stashes: stashes.split('\n').filter(line => line !== '').length }
}

/** The branches of all remotes, except those that are in the directory itself and would go with it. */
function remoteRefs(tools: GitTools, root: string): string[] {
  const asked = askGit(tools, ['config', '--null', '--get-regexp', '^remote\\..*\\.url$'], gitOf(root))
  const inside = asked.stdout.split('\0').flatMap(entry => {
    const [key = '', url = ''] = entry.split('\n')
    return isBelow(root, url) ? [key.slice('remote.'.length, -'.url'.length)] : []
  })
  return [...inside.map(name => `--exclude=${name}/*`), '--remotes', `--glob=${fetchedRefs}`]
}

function isBelow(root: string, url: string): boolean {
  const path = resolve(root, url.replace(/^file:\/\//, ''))
  if (url === '' || !existsSync(path)) return false
  const way = relative(root, realpathSync(path))
  return way.split('/')[0] !== '..'
}

/** A commit that the directory's own refs lead to, and that none of its remotes has. */
export interface OwnTip {
  commit: string
  /** Such as `refs/heads/main`. Null for a HEAD that names no branch, also that of a linked worktree. */
  ref: string | null
}

/** The refs of a repo with commits that none of its remotes has, as far as the repo knows. */
export function unpushedTips(tools: GitTools, root: string, library: string): OwnTip[] {
  const format = '--format=%(objectname) %(*objectname) %(refname)'
  const listed = ask(tools, ['for-each-ref', format], gitOf(root))
  const tags = new Set(tagsOnlyIn(tools, root, library))
  const refs = lines(listed).flatMap(line => {
    const [object = '', peeled = '', ref = ''] = line.split(' ')
    const isElsewhere = refsElsewhere.some(pattern => ref.startsWith(pattern.replace(/\*$/, '')))
    return isElsewhere && !(ref.startsWith('refs/tags/') && tags.has(object))
      ? []
      : [{ commit: peeled || object, ref }]
  })
  const worktrees = lines(ask(tools, ['worktree', 'list', '--porcelain'], gitOf(root)))
  const heads = worktrees.flatMap(line => (line.startsWith('HEAD ') ? [line.slice('HEAD '.length)] : []))
  const detached = heads
    .filter(commit => !/^0+$/.test(commit) && !refs.some(tip => tip.commit === commit))
    .map(commit => ({ commit, ref: null }))
  const remotes = remoteRefs(tools, root)
  return [...refs, ...detached].filter(({ commit }) => {
    const args = ['rev-list', '--count', '--max-count=1', commit, '--not', ...remotes]
    return Number(ask(tools, args, gitOf(root))) > 0
  })
}

function lines(text: string): string[] {
  return text.split('\n').filter(line => line !== '')
}

/** Compares tags by their objects, not by their names. */
function tagsOnlyIn(tools: GitTools, root: string, library: string): string[] {
  const tagged = (options: GitOptions) =>
    ask(tools, ['for-each-ref', '--format=%(objectname)', 'refs/tags'], options)
      .split('\n')
      .filter(line => line !== '')
  const own = new Set(tagged(gitOf(root)))
  if (own.size > 0 && existsSync(library))
    for (const object of tagged({ gitDir: library })) own.delete(object)
  return [...own]
}

/** Only the notable entries, because the index of a large repo has a hundred thousand. */
function indexEntries(tools: GitTools, root: string): IndexEntry[] {
  return notableEntries(ask(tools, ['ls-files', '-v', '--stage', '-z'], gitOf(root)))
}

function linkedWorktrees(tools: GitTools, root: string): string[] {
  const lines = ask(tools, ['worktree', 'list', '--porcelain'], gitOf(root)).split('\n')
  return lines.filter(line => line.startsWith('worktree ')).map(line => line.slice('worktree '.length))
}

function submodules(root: string, index: readonly IndexEntry[]): string[] {
  return index.filter(({ mode }) => mode === submoduleMode).map(({ path }) => join(root, path))
}

/** Names all paths explicitly, so that neither `core.worktree` nor an enclosing repo can mislead git. */
function gitOf(root: string): Pick<GitOptions, 'gitDir' | 'workTree' | 'cwd'> {
  return { gitDir: join(root, '.git'), workTree: root, cwd: root }
}

function ask(tools: GitTools, args: readonly string[], options: GitOptions): string {
  const asked = askGit(tools, args, options)
  if (asked.exitCode !== 0) throw new Unknown(gitReason(asked))
  return asked.stdout
}

function hasFile(directory: string): boolean {
  const entries = readdirSync(directory, { withFileTypes: true })
  return entries.some(entry => !entry.isDirectory() || hasFile(join(directory, entry.name)))
}

export interface IndexEntry {
  mode: string
  object: string
  path: string
  /** Marked skip-worktree or assume-unchanged, so that `git status` ignores the file. */
  isHidden: boolean
}

export const submoduleMode = '160000'

/** The submodules and hidden files in the output of `git ls-files -v --stage -z`. */
export function notableEntries(listed: string): IndexEntry[] {
  return listed
    .split('\0')
    .filter(entry => /^[Sa-z] /.test(entry) || entry.startsWith(submoduleMode, 2))
    .map(entry => {
      const [tag, mode, object] = entry.split(' ', 3)
      const path = entry.slice(entry.indexOf('\t') + 1)
      return { mode: mode!, object: object!, path, isHidden: tag === 'S' || tag !== tag!.toUpperCase() }
    })
}

/** Hidden files that differ from the index. A missing file does not count: a sparse checkout leaves most files out. */
export function hiddenChanges(root: string, entries: readonly IndexEntry[]): string[] {
  return entries
    .filter(({ isHidden, mode }) => isHidden && mode !== submoduleMode)
    .filter(({ path, object }) => isThereAndDiffers(object, join(root, path)))
    .map(({ path }) => path)
}

/** Compares the id that git would give the file. Ignores conversions of line endings. */
function isThereAndDiffers(object: string, path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return false
  if (!found.isFile() && !found.isSymbolicLink()) return true
  const content = found.isFile() ? readFileSync(path) : readlinkSync(path, 'buffer')
  const hash = createHash(object.length === 40 ? 'sha1' : 'sha256')
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex') !== object
}
