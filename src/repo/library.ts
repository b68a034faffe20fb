import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AgencError } from '../errors.ts'
import { makePrivateDirectory, namesIn } from '../io/files.ts'
import { hideCredentials, withAddress } from './credentials.ts'
import { askGit, type GitTools, gitFailed, type LongGitOptions, runGit } from './git.ts'
import { makeRepoId, type RepoId, type Source, segmentProblem } from './reference.ts'
import { fillThenPlace, makeStaging, removeEmptyDirectories, removeTree, stagingPrefix } from './staging.ts'

type Progress = Pick<LongGitOptions, 'showsProgress' | 'mayPrompt' | 'signal'>

/** The path of a repo. Throws if the path would leave the library. */
export function libraryPath(reposDir: string, id: string): string {
  return join(reposDir, makeRepoId(id.split('/')))
}

const deepest = 20

/**
 * Clones a repo into the library. Throws `AlreadyThere` if another process was first. The library has bare repos with
 * the remote's own branches. Nothing is checked out, so an untrusted repo writes only git objects to the disk, and a
 * clone from the library looks like a clone from the remote.
 */
export async function addToLibrary(
  tools: GitTools,
  reposDir: string,
  source: Source,
  options: Progress = {},
): Promise<string> {
  makePrivateDirectory(reposDir)
  const path = libraryPath(reposDir, source.id)
  await fillThenPlace(reposDir, path, async directory => {
    const args = ['clone', '--bare', '--no-local', '--template=', '--no-recurse-submodules']
    const progress = options.showsProgress ? ['--progress'] : []
    const { url, env } = hideCredentials(source.fetchUrl)
    const cloned = await runGit(tools, [...args, ...progress, '--', url, basename(directory)], {
      ...options,
      env,
      // git prints the destination, so give it the bare name in place of a temporary path.
      cwd: dirname(directory),
      config: ['clone.defaultRemoteName=origin', 'gc.auto=0', 'maintenance.auto=false'],
    })
    if (cloned.exitCode !== 0) throw gitFailed(`cannot clone ${source.url}`, cloned, cloneHint(source))
    // This file has the password if the URL came with one.
    const config = join(directory, 'config')
    chmodSync(config, 0o600)
    if (url !== source.fetchUrl)
      writeFileSync(config, withAddress(readFileSync(config, 'utf8'), url, source.fetchUrl))
    const quiet = { ...options, showsProgress: false }
    if (isPath(source.fetchUrl)) await fetchFromPath(tools, directory, source.fetchUrl, quiet)
    else settleHead(tools, directory)
  })
  return path
}

/** Updates all branches, all tags and the default branch to the remote's current state. */
export async function updateInLibrary(tools: GitTools, path: string, options: Progress = {}): Promise<void> {
  if (!existsSync(path))
    throw new AgencError('its files are missing from the library', "Run 'agenc repo add' again.")
  const url = fetchUrlOf(tools, path)
  if (isPath(url)) return fetchFromPath(tools, path, url, options)
  const withPassword = { ...options, env: hideCredentials(url).env }
  const fetching = fetchInto(tools, path, branchesAndTags, withPassword)
  // The two wait for the server at the same time, unless each may ask for a password.
  if (options.mayPrompt) await fetching
  const [fetched, head] = await Promise.allSettled([fetching, askForHead(tools, path, withPassword)])
  for (const done of [fetched, head]) if (done.status === 'rejected') throw done.reason
  settleHead(tools, path, head.status === 'fulfilled' ? head.value : undefined)
}

const branchesAndTags = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']

async function askForHead(
  tools: GitTools,
  gitDir: string,
  options: LongGitOptions,
): Promise<string | undefined> {
  const asked = await runGit(tools, ['ls-remote', '--symref', 'origin', 'HEAD'], {
    ...options,
    showsProgress: false,
    gitDir,
  })
  return /^ref: (refs\/heads\/\S+)\tHEAD$/m.exec(asked.stdout)?.[1]
}

async function fetchInto(
  tools: GitTools,
  gitDir: string,
  refspecs: readonly string[],
  options: LongGitOptions,
): Promise<void> {
  sweepPacks(gitDir)
  const progress = options.showsProgress ? '--progress' : '--quiet'
  const fetched = await runGit(tools, ['fetch', '--prune', progress, 'origin', ...refspecs], {
    ...options,
    gitDir,
    // With loose objects, a repack could delete some of them while a working copy is linking them.
    config: ['fetch.unpackLimit=1', 'fetch.writeCommitGraph=false'],
  })
  if (fetched.exitCode !== 0) throw gitFailed('cannot fetch', fetched)
}

const abandonedMs = 3_600_000

/** A git that is ended while it fetches or packs leaves what it has written so far behind. */
function sweepPacks(gitDir: string): void {
  const directory = join(gitDir, 'objects', 'pack')
  for (const name of namesIn(directory).filter(name => /^\.?tmp[-_]/.test(name))) {
    const path = join(directory, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats && Date.now() - stats.mtimeMs > abandonedMs) rmSync(path, { force: true })
  }
}

/** A repo that was added by path is fetched from this machine, and may have an origin of its own. */
function isPath(fetchUrl: string): boolean {
  return fetchUrl.startsWith('/')
}

const originHead = 'refs/remotes/origin/HEAD'

/** The branches of the source's own origin. HEAD is left out, because git would copy it as a branch. */
export const knownOrigin = ['+refs/remotes/origin/*:refs/remotes/origin/*', `^${originHead}`]

/**
 * Updates the branches of a repo on this machine, and those that it knows of its own origin, without contacting that
 * origin. If the repo has the default branch of its origin only as a branch of that origin, the library has it as a branch
 * too, so that missions can start on it.
 */
async function fetchFromPath(
  tools: GitTools,
  gitDir: string,
  path: string,
  options: Progress,
): Promise<void> {
  const patterns = ['HEAD', 'refs/heads/*', originHead]
  const listed = await runGit(tools, ['ls-remote', '--symref', 'origin', ...patterns], {
    ...options,
    showsProgress: false,
    gitDir,
  })
  if (listed.exitCode !== 0) throw gitFailed('cannot fetch', listed)
  const branches = [...listed.stdout.matchAll(/^[0-9a-f]+\t(refs\/heads\/.+)$/gm)].map(([, ref]) => ref!)
  const targetOf = (ref: string) => new RegExp(`^ref: (\\S+)\\t${ref}$`, 'm').exec(listed.stdout)?.[1]
  const ofOrigin = targetOf(originHead)
  const asBranch = ofOrigin?.replace('refs/remotes/origin/', 'refs/heads/')
  const isMissing =
    asBranch !== undefined && !branches.some(ref => ref === asBranch || ref.startsWith(`${asBranch}/`))
  const borrowed = isMissing ? [`+${ofOrigin}:${asBranch}`] : []
  await fetchInto(tools, gitDir, [...branchesAndTags, ...knownOrigin, ...borrowed], options)
  if (ofOrigin !== undefined) setOriginHead(tools, gitDir, ofOrigin)
  // Nothing is checked out in a bare repo, so its HEAD names the default branch.
  if (!existsSync(join(path, '.git'))) settleHead(tools, gitDir, targetOf('HEAD'))
  else settleHeadByName(tools, gitDir, asBranch)
}

/** The default branch of the source's own origin, as far as the source knows it. */
export function originHeadOf(tools: GitTools, library: string): string {
  return askGit(tools, ['symbolic-ref', '--quiet', originHead], { gitDir: library }).stdout.trim()
}

export function setOriginHead(tools: GitTools, gitDir: string, branch: string): void {
  if (hasRef(tools, gitDir, branch)) askGit(tools, ['symbolic-ref', originHead, branch], { gitDir })
}

export function hasRef(tools: GitTools, gitDir: string, ref: string): boolean {
  return askGit(tools, ['rev-parse', '--quiet', '--verify', ref], { gitDir }).exitCode === 0
}

/** Moves the repo away in one step first, so that an interrupted removal never leaves half a repo. */
export async function removeFromLibrary(reposDir: string, id: string): Promise<void> {
  const path = libraryPath(reposDir, id)
  if (!existsSync(path)) return
  const rubbish = makeStaging(reposDir)
  renameSync(path, join(rubbish, basename(path)))
  removeEmptyDirectories(dirname(path), reposDir)
  await removeTree(rubbish)
}

/** The address that a repo in the library is fetched from. */
export function fetchUrlOf(tools: GitTools, path: string): string {
  return askGit(tools, ['config', '--get', 'remote.origin.url'], { gitDir: path }).stdout.trimEnd()
}

function cloneHint({ id, url }: Source): string {
  const overSsh = /^https:\/\/github\.com\//.test(url)
    ? ` If you use ssh: agenc repo add git@github.com:${id.replace('github.com/', '')}.git`
    : ''
  return `Check that git can reach it: git ls-remote ${url}${overSsh}`
}

/** The id under which the library already has this repo, ignoring letter case. */
export function findInLibrary(reposDir: string, id: RepoId): RepoId | undefined {
  let found: string[] = []
  for (const segment of id.split('/')) {
    const directory = join(reposDir, ...found)
    if (found.length > 0 && isRepo(directory)) throw nested(id, found.join('/'))
    const entries = existsSync(directory) ? readdirSync(directory) : []
    const match =
      entries.find(entry => entry === segment) ??
      entries.find(entry => entry.toLowerCase() === segment.toLowerCase())
    if (match === undefined) return undefined
    found = [...found, match]
  }
  if (!isRepo(join(reposDir, ...found))) throw nested(found.join('/'), id)
  return found.join('/') as RepoId
}

/** The ids of all repos whose files are in the library. */
export function listLibrary(reposDir: string, above: readonly string[] = []): string[] {
  const names = existsSync(join(reposDir, ...above)) ? readdirSync(join(reposDir, ...above)) : []
  return names
    .filter(name => segmentProblem(name) === undefined && !name.startsWith(stagingPrefix))
    .flatMap(name => {
      const path = [...above, name]
      const directory = join(reposDir, ...path)
      if (isRepo(directory)) return path.length < 3 ? [] : [path.join('/')]
      return path.length < deepest && statSync(directory).isDirectory() ? listLibrary(reposDir, path) : []
    })
}

function isRepo(directory: string): boolean {
  return existsSync(join(directory, 'HEAD')) && existsSync(join(directory, 'objects'))
}

function nested(inner: string, outer: string): AgencError {
  return new AgencError(
    `${inner} and ${outer} cannot both be in the library`,
    'The path of one contains the other.',
  )
}

const usualBranches = ['main', 'master', 'trunk', 'develop'].map(name => `refs/heads/${name}`)

/**
 * Points HEAD of a library repo to a branch that exists, so that working copies start on a branch. Prefers the remote's
 * default branch; but a remote can name a branch that no longer exists, or none (a detached HEAD).
 */
export function settleHead(tools: GitTools, gitDir: string, remoteDefault?: string): void {
  const current = askGit(tools, ['symbolic-ref', '--quiet', 'HEAD'], { gitDir }).stdout.trim()
  if (current !== '' && current === remoteDefault) return
  const branches = listBranches(tools, gitDir)
  const chosen = chooseHead(branches, [remoteDefault, current], commitOfHead(tools, gitDir))
  if (chosen !== undefined && chosen !== current) askGit(tools, ['symbolic-ref', 'HEAD', chosen], { gitDir })
}

/**
 * Points HEAD of a library repo to the default branch of a directory, in which any branch may be checked out. If that
 * cannot be told, HEAD names a branch that does not exist.
 */
function settleHeadByName(tools: GitTools, gitDir: string, defaultOfOrigin: string | undefined): void {
  const branches = listBranches(tools, gitDir).map(({ ref }) => ref)
  if (branches.length === 0) return
  const onlyBranch = branches.length === 1 ? branches[0] : undefined
  const named = [defaultOfOrigin, ...usualBranches].find(ref => ref !== undefined && branches.includes(ref))
  askGit(tools, ['symbolic-ref', 'HEAD', named ?? onlyBranch ?? usualBranches[0]!], { gitDir })
}

export interface Branch {
  ref: string
  commit: string
}

export function chooseHead(
  branches: readonly Branch[],
  preferred: readonly (string | undefined)[],
  headCommit: string,
): string | undefined {
  const exists = (ref: string | undefined) => branches.some(branch => branch.ref === ref)
  const atHead = branches.filter(branch => branch.commit === headCommit).map(branch => branch.ref)
  return (
    preferred.find(exists) ??
    usualBranches.find(ref => atHead.includes(ref)) ??
    atHead[0] ??
    usualBranches.find(exists) ??
    branches[0]?.ref
  )
}

function listBranches(tools: GitTools, gitDir: string): Branch[] {
  const listed = askGit(tools, ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads/'], {
    gitDir,
  })
  const lines = listed.stdout.split('\n').filter(line => line !== '')
  return lines.map(line => {
    const [commit = '', ref = ''] = line.split(' ')
    return { commit, ref }
  })
}

function commitOfHead(tools: GitTools, gitDir: string): string {
  return askGit(tools, ['rev-parse', '--quiet', '--verify', 'HEAD'], { gitDir }).stdout.trim()
}
