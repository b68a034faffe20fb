import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { disabledFilters } from './filters.ts'
import { askGit, type GitOptions, type GitTools, gitReason } from './git.ts'
import { hiddenChanges, type IndexEntry, notableEntries, submoduleMode } from './index-entries.ts'

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
