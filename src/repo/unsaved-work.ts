import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { cleanText } from '../io/text.ts'
import { askGit, disabledFilters, type GitOptions, type GitTools, gitReason } from './git.ts'

const shownNames = 3

/** What would be lost, a line each; empty when nothing would. Not knowing is a line too. */
export function describeUnsavedWork({
  directory,
  library,
  ...tools
}: GitTools & { directory: string; library?: string }): string[] {
  const answer = findUnsavedWork(tools, directory, library)
  if ('unknown' in answer) return [`what is in it cannot be told: ${cleanText(answer.unknown)}`]
  return linesOf(answer).filter(line => line !== undefined)
}

function linesOf(work: UnsavedWork): (string | undefined)[] {
  return [
    files(work.uncommitted, 'not committed'),
    files(work.untracked, 'not tracked by git'),
    work.unpushed > 0 ? `${count(work.unpushed, 'commit')} that no remote has` : undefined,
    work.stashes > 0 ? count(work.stashes, 'stash', 'stashes') : undefined,
    work.hasFilesOutsideGit ? 'files in a directory that is not a git repo' : undefined,
  ]
}

function files(paths: readonly string[], what: string): string | undefined {
  if (paths.length === 0) return undefined
  const names = paths.slice(0, shownNames).map(cleanText).join(', ')
  return `${count(paths.length, 'file')} ${what}: ${names}${paths.length > shownNames ? ', …' : ''}`
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

/** What would be lost if a directory were deleted. */
export interface UnsavedWork {
  /** Changed files that are not committed. */
  uncommitted: string[]
  untracked: string[]
  /** Commits that no remote has. */
  unpushed: number
  stashes: number
  /** It is no git repo, and not empty: nothing can be said about its files. */
  hasFilesOutsideGit: boolean
}

export type UnsavedWorkAnswer = UnsavedWork | { unknown: string }

class Unknown extends Error {}

/**
 * Nothing in the directory is executed, whatever its git settings say. A failure is never taken for "nothing".
 * `library` is the bare repo it was made from, if any: tags are elsewhere when they are there, and without it all are.
 */
export function findUnsavedWork(tools: GitTools, directory: string, library?: string): UnsavedWorkAnswer {
  try {
    if (!existsSync(directory)) return nothing()
    // git tells real paths, and they are compared.
    if (existsSync(join(directory, '.git'))) return inRepo(tools, realpathSync(directory), library)
    return { ...nothing(), hasFilesOutsideGit: hasFile(directory) }
  } catch (error) {
    return { unknown: error instanceof Error ? error.message : String(error) }
  }
}

function nothing(): UnsavedWork {
  return { uncommitted: [], untracked: [], unpushed: 0, stashes: 0, hasFilesOutsideGit: false }
}

/** The repo with its linked worktrees and its submodules, each asked by itself so that git starts no other git. */
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
    work.unpushed += inner.unpushed
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

function inHistory(
  tools: GitTools,
  root: string,
  library?: string,
): Pick<UnsavedWork, 'unpushed' | 'stashes'> {
  const elsewhere = ['refs/remotes/*', 'refs/tags/*', 'refs/stash', 'refs/prefetch/*'].map(
    refs => `--exclude=${refs}`,
  )
  const ownTags = library === undefined ? [] : tagsOnlyIn(tools, root, library)
  const unpushed = ask(
    tools,
    ['rev-list', '--count', ...elsewhere, '--all', ...ownTags, '--not', '--remotes'],
    gitOf(root),
  )
  const hasStash =
    askGit(tools, ['rev-parse', '--quiet', '--verify', 'refs/stash'], gitOf(root)).exitCode === 0
  const stashes = hasStash ? ask(tools, ['rev-list', '--walk-reflogs', 'refs/stash', '--'], gitOf(root)) : ''
  return { unpushed: Number(unpushed), stashes: stashes.split('\n').filter(line => line !== '').length }
}

/** By what they stand for. */
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

/** Of the index only what is to be looked at: a large repo has a hundred thousand others. */
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

/** Named outright: a `core.worktree` in its settings, or a repo around it, does not mislead us. */
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
  /** Marked skip-worktree or assume-unchanged: `git status` does not look at the file. */
  isHidden: boolean
}

export const submoduleMode = '160000'

/** Submodules and hidden files out of what `git ls-files -v --stage -z` prints. */
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

/** Files that are on the disk but not as in the index; in a sparse checkout most are not there at all. */
export function hiddenChanges(root: string, entries: readonly IndexEntry[]): string[] {
  return entries
    .filter(({ isHidden, mode }) => isHidden && mode !== submoduleMode)
    .filter(({ path, object }) => isThereAndNot(object, join(root, path)))
    .map(({ path }) => path)
}

/** By the id that git would give the file. Conversions of line ends are not looked at. */
function isThereAndNot(object: string, path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return false
  if (!found.isFile() && !found.isSymbolicLink()) return true
  const content = found.isFile() ? readFileSync(path) : readlinkSync(path, 'buffer')
  const hash = createHash(object.length === 40 ? 'sha1' : 'sha256')
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex') !== object
}
