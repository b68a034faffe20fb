import { constants, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { copyFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { RepoConfig } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { Cancelled, explainSystemError, isCancelled } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import { copyDirectory } from './copy-directory.ts'
import { gitFailed, runGit } from './git.ts'
import { findIncludeSource, type IncludeSource, shownPath, tellIfDirty } from './include-source.ts'
import { makeStaging, removeTree } from './staging.ts'

/** In the root of a checkout: patterns of ignored files that new missions get a copy of. */
export const includeFile = '.worktreeinclude'

export interface IncludeWish {
  repo: string
  settings: RepoConfig | undefined
  /** The mission's working copy. */
  directory: string
  /** The mission begins now, so the user may miss changes of the checkout in it. */
  isNew: boolean
  signal: AbortSignal
}

/**
 * Copies files that git does not carry, such as `.env`, from the user's own checkout to a new working copy. Nothing is
 * overwritten. A problem is told to the user, and does not keep the mission from starting.
 */
export async function copyIncluded(context: Context, wish: IncludeWish): Promise<void> {
  const { directory, settings } = wish
  const isWanted = (settings?.include ?? []).length > 0 || existsSync(join(directory, includeFile))
  const checkout = findIncludeSource(context, { ...wish, isWanted })
  if (checkout === null) return
  const problems: string[] = []
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      if (isCancelled(error)) throw error
      problems.push(cleanText(explainSystemError(error, '/')?.message ?? (error as Error).message))
    }
  }
  if (wish.isNew) await attempt(() => tellIfDirty(context, checkout, wish.signal))
  await attempt(async () => {
    const paths = await includedPaths(context, checkout, wish)
    if (paths.length > 0)
      context.err.line(`agenc: copying ${listed(paths)} from ${shownPath(context, checkout.root)}`)
    for (const path of paths) await attempt(() => copyPath(context, checkout, path, wish))
  })
  for (const problem of problems.slice(0, mostShown)) context.err.line(`agenc: ${problem}`)
  if (problems.length > mostShown)
    context.err.line(`agenc: ${problems.length - mostShown} more could not be copied`)
}

const mostShown = 3

function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, mostShown).map(cleanText)
  const more = paths.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** The ignored files and directories that the patterns name, relative to the checkout. A directory ends with a slash. */
async function includedPaths(
  context: Context,
  checkout: IncludeSource,
  { settings, directory, signal }: IncludeWish,
): Promise<string[]> {
  const patterns = [patternsIn(checkout.root), ...(settings?.include ?? []), ''].join('\n')
  if (!/[^\s]/.test(patterns)) return []
  const staging = makeStaging(dirname(directory))
  try {
    const file = join(staging, 'patterns')
    await writeFile(file, patterns)
    const ignored = await listFiles(context, checkout, ['--exclude-standard'], [], signal)
    const chosen = await matching(context, { patterns: file, staging, checkout, signal }, ignored)
    const inside = ignored.filter(path => path.endsWith('/') && !chosen.has(path) && mayReach(patterns, path))
    const found =
      inside.length === 0
        ? []
        : await listFiles(context, checkout, [`--exclude-from=${file}`], inside, signal)
    return [...new Set([...ignored.filter(path => chosen.has(path)), ...found])].filter(isOutsideGit)
  } finally {
    await removeTree(staging)
  }
}

function patternsIn(root: string): string {
  const path = join(root, includeFile)
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8') : ''
}

function isOutsideGit(path: string): boolean {
  return !path.split('/').includes('.git')
}

/** Untracked files that the given patterns exclude. A directory that is excluded as a whole is one entry. */
async function listFiles(
  context: Context,
  { git }: IncludeSource,
  excludes: readonly string[],
  below: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const pathspecs = below.map(path => `:(literal)${path}`)
  const args = ['ls-files', '-z', '--others', '--ignored', '--directory', ...excludes, '--', ...pathspecs]
  const asked = await runGit(context, args, { ...git, signal })
  if (asked.exitCode !== 0) throw gitFailed('the ignored files cannot be listed', asked)
  return asked.stdout.split('\0').filter(path => path !== '')
}

interface Patterns {
  patterns: string
  staging: string
  checkout: IncludeSource
  signal: AbortSignal
}

/**
 * The paths that the patterns name. git compares them in an empty tree, so that it neither uses other patterns nor walks
 * through the directories. It takes a path for a directory only if it is one there.
 */
async function matching(
  context: Context,
  { patterns, staging, checkout, signal }: Patterns,
  paths: readonly string[],
): Promise<Set<string>> {
  const tree = join(staging, 'tree')
  mkdirSync(tree)
  for (const path of paths) if (path.endsWith('/')) mkdirSync(join(tree, path), { recursive: true })
  const names = new Map(paths.map(path => [path.replace(/\/$/, ''), path]))
  const asked = await runGit(context, ['check-ignore', '-z', '--stdin', '--no-index'], {
    gitDir: checkout.library,
    workTree: tree,
    cwd: tree,
    config: [`core.excludesFile=${patterns}`],
    input: [...names.keys()].map(name => `${name}\0`).join(''),
    signal,
  })
  // Exit code 1 means that there are none.
  if (asked.exitCode !== 0 && asked.exitCode !== 1) throw gitFailed(`${includeFile} cannot be used`, asked)
  const chosen = asked.stdout.split('\0').filter(name => name !== '')
  return new Set(chosen.map(name => names.get(name)!))
}

/** Whether a pattern with a path, such as `config/*.key`, may name something inside a directory that is ignored as a whole. */
function mayReach(patterns: string, directory: string): boolean {
  return patterns.split(/\r?\n/).some(line => {
    const pattern = line.replace(/^!/, '').replace(/^\//, '')
    const fixed = /^[^*?[\\]*\//.exec(pattern)?.[0] ?? ''
    return fixed !== '' && pattern !== fixed && (fixed.startsWith(directory) || directory.startsWith(fixed))
  })
}

async function copyPath(
  context: Context,
  checkout: IncludeSource,
  path: string,
  { directory, signal }: IncludeWish,
): Promise<void> {
  if (signal.aborted) throw new Cancelled()
  const name = path.replace(/\/$/, '')
  if (!makeParents(directory, dirname(name))) return
  await copyMissing(context, join(checkout.root, name), join(directory, name), { directory, signal })
}

/** Returns false if the working copy has something else in this place, such as a link, which could lead anywhere. */
function makeParents(directory: string, parent: string): boolean {
  let path = directory
  for (const name of parent === '.' ? [] : parent.split('/')) {
    path = join(path, name)
    const there = lstatSync(path, { throwIfNoEntry: false })
    if (there === undefined) mkdirSync(path)
    else if (!there.isDirectory()) return false
  }
  return true
}

async function copyMissing(
  context: Context,
  from: string,
  to: string,
  place: Pick<IncludeWish, 'directory' | 'signal'>,
): Promise<void> {
  const source = lstatSync(from)
  const there = lstatSync(to, { throwIfNoEntry: false })
  if (there !== undefined) {
    if (!source.isDirectory() || !there.isDirectory()) return
    for (const name of readdirSync(from).filter(isOutsideGit))
      await copyMissing(context, join(from, name), join(to, name), place)
  } else if (source.isDirectory())
    await copyDirectory({
      exec: context.exec,
      env: context.env,
      from,
      to,
      signal: place.signal,
      stagingRoot: dirname(place.directory),
      omitsGit: true,
    })
  else if (source.isSymbolicLink()) await symlink(readlinkSync(from), to)
  else if (source.isFile()) await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
}
