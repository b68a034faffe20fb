import { constants, lstatSync } from 'node:fs'
import { access, copyFile, lstat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { disabledFilters } from '../repo/git.ts'
import type { Result } from '../system/runner.ts'
import { emptyTree } from './changes.ts'
import { libraryGit, type MissionRepo, outputOf, ownGit, type RepoGitOptions } from './mission-repo.ts'

/** How a mission's files become git objects. */
export interface TreeOptions extends Pick<RepoGitOptions, 'signal' | 'isLow'> {
  /** Patterns of `missions.checkpoint_exclude`. */
  exclude: readonly string[]
  /** Lists the files that are left out, which takes as long as `git status`. */
  listsLeftOut?: boolean
}

export interface RecordedTree {
  tree: string
  leftOut: string[]
}

/** Settings for a git that reads or writes the mission's files with an index of its own. */
export function workTreeConfig(repo: MissionRepo): string[] {
  return [
    ...disabledFilters(repo, { gitDir: repo.library }),
    // It would refuse files with mixed line ends.
    'core.safecrlf=false',
    // Larger files are written as they are read, and are not compared with others.
    'core.bigFileThreshold=32m',
    // The index is one file, and is read as it is.
    'core.splitIndex=false',
    'core.ignoreStat=false',
    'index.sparse=false',
    // Files outside a sparse checkout that exist nevertheless count.
    'core.sparseCheckout=true',
  ]
}

/**
 * Writes the working tree to an object directory, and returns its tree. Untracked files are in it. Ignored ones are not,
 * nor are changes of files with a filter, whose program would have to run, and of files that cannot be read.
 */
export async function recordTree(
  repo: MissionRepo,
  staging: string,
  objects: NodeJS.ProcessEnv,
  head: string | null,
  options: TreeOptions,
): Promise<RecordedTree> {
  const index = join(staging, 'index')
  const config = workTreeConfig(repo)
  const git: Git = (args, more = {}) =>
    libraryGit(repo, args, {
      signal: options.signal,
      isLow: options.isLow,
      config,
      // git looks here for files outside a sparse checkout.
      cwd: repo.directory,
      ...more,
      env: { GIT_WORK_TREE: repo.directory, GIT_INDEX_FILE: index, ...objects },
    })
  const excluded = options.exclude.flatMap(globsOf)
  const changed = await changedFiles(
    repo,
    git,
    [':(attr:!filter)', ':(attr:-filter)', ...excludeSpecs(options.exclude)],
    { index, head, options },
  )
  const [staged] = await Promise.all([
    stagedEntries(repo, git, excluded, head),
    changed.length > 0 ? addToIndex(repo, git, changed) : null,
  ])
  if (staged.length > 0) {
    const args = ['update-index', '-z', '--index-info']
    await outputOf(git(args, { input: asCommitted(staged), isBinary: true }), cannotRecord)
  }
  const written = await git(['write-tree'])
  const tree = written.exitCode === 0 ? written.stdout : await writeMerged(git)
  const leftOut = options.listsLeftOut
    ? new Set([...(await listChanged(repo, git, [])), ...staged.map(({ path }) => path)])
    : []
  return { tree: tree.trim(), leftOut: [...leftOut].map(path => Buffer.from(path, 'latin1').toString()) }
}

type Git = (args: readonly string[], more?: Pick<RepoGitOptions, 'input' | 'isBinary'>) => Promise<Result>

const cannotRecord = 'cannot record the files'

/** Pathspecs that leave out the files of `missions.checkpoint_exclude`. */
export function excludeSpecs(patterns: readonly string[]): string[] {
  return patterns.flatMap(globsOf).map(glob => `:(exclude,glob)${glob}`)
}

/**
 * As in .gitignore, a pattern without a slash applies in every directory, and a directory that matches is left out with
 * everything in it.
 */
function globsOf(pattern: string): string[] {
  const name = pattern.replace(/\/$/, '')
  if (name === '') return []
  const glob = name.includes('/') ? name.replace(/^\//, '') : `**/${name}`
  return [...(name === pattern ? [glob] : []), `${glob}/**`]
}

/**
 * Starts with a copy of the mission's index, which knows the unchanged files, so that git need not read them all. Paths
 * are in latin1, because a file's name can be any bytes.
 */
async function changedFiles(
  repo: MissionRepo,
  git: Git,
  pathspecs: readonly string[],
  { index, head, options }: { index: string; head: string | null; options: TreeOptions },
): Promise<string[]> {
  if (await copyIndex(join(repo.directory, '.git', 'index'), index)) {
    const listed = await tryToListChanged(repo, git, pathspecs)
    if (listed.exitCode === 0) return parsePaths(listed.stdout)
    // A split index needs a file beside the original, which only the mission's own git finds.
    const joined = await ownGit(repo, ['update-index', '--no-split-index'], {
      ...options,
      env: { GIT_INDEX_FILE: index },
    })
    if (joined.exitCode === 0) return listChanged(repo, git, pathspecs)
  }
  await outputOf(git(['read-tree', head ?? '--empty']), cannotRecord)
  return listChanged(repo, git, pathspecs)
}

async function copyIndex(own: string, index: string): Promise<boolean> {
  const stats = await lstat(own).catch(() => null)
  if (!stats?.isFile()) return false
  await copyFile(own, index)
  // git looks closer at files that were changed in the second in which the index was written.
  const seconds = Math.floor(stats.mtimeMs / 1000)
  await utimes(index, seconds, seconds)
  return true
}

async function listChanged(repo: MissionRepo, git: Git, pathspecs: readonly string[]): Promise<string[]> {
  return parsePaths(await outputOf(tryToListChanged(repo, git, pathspecs), 'cannot list the changed files'))
}

/** Files that differ from the index, and files that are not in it. */
function tryToListChanged(repo: MissionRepo, git: Git, pathspecs: readonly string[]): Promise<Result> {
  const excludes = join(repo.directory, '.git', 'info', 'exclude')
  const isThere = lstatSync(excludes, { throwIfNoEntry: false })?.isFile()
  const ignored = ['--exclude-standard', ...(isThere ? [`--exclude-from=${excludes}`] : [])]
  const args = ['ls-files', '-z', '--modified', '--others', ...ignored, '--', ...pathspecs]
  return git(args, { isBinary: true })
}

function parsePaths(listed: string): string[] {
  return [...new Set(listed.split('\0').filter(path => path !== ''))]
}

/** Files can vanish and change while git reads them. */
const addAttempts = 3

/** Leaves out files that git cannot take. It stops at the first one, and has then added nothing. */
async function addToIndex(repo: MissionRepo, git: Git, paths: readonly string[]): Promise<void> {
  // A path that ends in a slash is a repo of its own. Sorted, because `a` must be removed before `a/b` is added.
  const files = paths.filter(path => !path.endsWith('/')).sort()
  if ((await add(git, files)).exitCode === 0) return
  const encoded = new Set(await listChanged(repo, git, [':(exclude,attr:!working-tree-encoding)']))
  for (let attempt = 1; ; attempt++) {
    const isUsable = await Promise.all(files.map(file => canBeAdded(repo.directory, file)))
    const usable = files.filter((_, at) => isUsable[at])
    const added = add(
      git,
      usable.filter(file => !encoded.has(file)),
    )
    if (attempt < addAttempts && (await added).exitCode !== 0) continue
    await outputOf(added, cannotRecord)
    return addEncoded(
      git,
      usable.filter(file => encoded.has(file)),
    )
  }
}

/** git refuses a file that is not encoded as its attributes say. */
async function addEncoded(git: Git, files: readonly string[]): Promise<void> {
  const added = await add(git, files)
  if (added.exitCode === 0 || files.length === 1) return
  const half = Math.ceil(files.length / 2)
  await addEncoded(git, files.slice(0, half))
  await addEncoded(git, files.slice(half))
}

function add(git: Git, files: readonly string[]): Promise<Result> {
  const input = files.map(file => `${file}\0`).join('')
  return git(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], { input, isBinary: true })
}

/** A file that is gone can be added: its deletion is recorded. */
async function canBeAdded(directory: string, file: string): Promise<boolean> {
  const path = Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(file, 'latin1')])
  try {
    const stats = await lstat(path)
    if (stats.isFile()) await access(path, constants.R_OK)
    return stats.isFile() || stats.isSymbolicLink() || stats.isDirectory()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR'
  }
}

/** An entry of the index that differs from the latest commit, with what the commit has. */
interface StagedEntry {
  /** 0 if the commit does not have the file. */
  mode: string
  object: string
  path: string
}

/** Claude may have staged files that are excluded. */
async function stagedEntries(
  repo: MissionRepo,
  git: Git,
  excluded: readonly string[],
  head: string | null,
): Promise<StagedEntry[]> {
  if (excluded.length === 0) return []
  const globs = excluded.map(glob => `:(glob)${glob}`)
  const args = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--no-abbrev']
  const from = head ?? (await emptyTree(repo))
  const listed = await outputOf(git([...args, from, '--', ...globs], { isBinary: true }), cannotRecord)
  const words = listed.split('\0')
  return Array.from({ length: Math.floor(words.length / 2) }, (_, at) => {
    const [mode = '', , object = '', , status = ''] = words[2 * at]!.slice(1).split(' ')
    return { mode, object, status, path: words[2 * at + 1]! }
  }).filter(({ status }) => status !== 'U')
}

/** Deletions come first: a file `a/b` must be gone before `a` can be added. */
function asCommitted(entries: readonly StagedEntry[]): string {
  const isNew = ({ mode }: StagedEntry) => /^0+$/.test(mode)
  return [
    ...entries.filter(isNew).map(({ object, path }) => `0 ${object}\t${path}\0`),
    ...entries.filter(entry => !isNew(entry)).map(({ mode, object, path }) => `${mode} ${object}\t${path}\0`),
  ].join('')
}

/** In the middle of a merge, files that are left out still have several versions. Takes the mission's own. */
async function writeMerged(git: Git): Promise<string> {
  const listed = await outputOf(git(['ls-files', '-z', '--unmerged'], { isBinary: true }), cannotRecord)
  const versions = listed
    .split('\0')
    .filter(line => line !== '')
    .map(line => {
      const [, mode, object, stage, path] = /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(line)!
      return { mode, object, stage, path: path! }
    })
  const lines = [...new Set(versions.map(({ path }) => path))].map(path => {
    const of = (stage: string) => versions.find(version => version.path === path && version.stage === stage)
    const chosen = of('2') ?? of('3')
    if (chosen) return `${chosen.mode} ${chosen.object} 0\t${path}\0`
    return `0 ${'0'.repeat(of('1')!.object!.length)}\t${path}\0`
  })
  const update = ['update-index', '-z', '--index-info']
  await outputOf(git(update, { input: lines.join(''), isBinary: true }), cannotRecord)
  return outputOf(git(['write-tree']), cannotRecord)
}
