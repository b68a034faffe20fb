import { chmodSync, existsSync, mkdtempSync, readdirSync, renameSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AgencError } from '../errors.ts'
import { makePrivateDirectory } from '../io/files.ts'
import { askGit, type GitTools, gitFailed, type LongGitOptions, runGit } from './git.ts'
import { makeRepoId, type RepoId, type Source } from './reference.ts'
import { fillThenPlace, removeEmptyDirectories, removeTree, stagingPrefix } from './staging.ts'

type Progress = Pick<LongGitOptions, 'showsProgress' | 'mayPrompt' | 'signal'>

/** Where a repo lies; throws rather than lead out of the library. */
export function libraryPath(reposDir: string, id: string): string {
  return join(reposDir, makeRepoId(id.split('/')))
}

const abandonedAfterMs = 24 * 60 * 60 * 1000

/**
 * Clones into the library. Throws `AlreadyThere` when another process was first.
 * The library holds bare repos whose branches are the remote's own: nothing is checked out, so nothing of
 * an untrusted repo touches the disk but git objects, and a clone of it sees what a clone of the remote would.
 */
export async function addToLibrary(
  tools: GitTools,
  reposDir: string,
  source: Source,
  options: Progress = {},
): Promise<string> {
  makePrivateDirectory(reposDir)
  await removeAbandoned(reposDir)
  const path = libraryPath(reposDir, source.id)
  await fillThenPlace(reposDir, path, async directory => {
    const args = ['clone', '--bare', '--no-local', '--template=', '--no-recurse-submodules']
    const progress = options.showsProgress ? ['--progress'] : []
    const cloned = await runGit(tools, [...args, ...progress, '--', source.fetchUrl, basename(directory)], {
      ...options,
      // git prints where it clones to: there, the name alone.
      cwd: dirname(directory),
      config: ['clone.defaultRemoteName=origin', 'gc.auto=0', 'maintenance.auto=false'],
    })
    if (cloned.exitCode !== 0) throw gitFailed(`cannot clone ${source.url}`, cloned, cloneHint(source))
    // It holds the password of a URL that came with one.
    chmodSync(join(directory, 'config'), 0o600)
    settleHead(tools, directory)
  })
  return path
}

/** All branches, all tags, and which branch is the default one, as the remote has them now. */
export async function updateInLibrary(tools: GitTools, path: string, options: Progress = {}): Promise<void> {
  if (!existsSync(path))
    throw new AgencError('its files are gone from the library', "Run 'agenc repo add' again.")
  const mirrored = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']
  const fetched = await runGit(tools, ['fetch', '--prune', '--quiet', 'origin', ...mirrored], {
    ...options,
    gitDir: path,
    // Loose objects that are packed and deleted while a working copy links them would be missing in it.
    config: ['fetch.unpackLimit=1', 'fetch.writeCommitGraph=false'],
  })
  if (fetched.exitCode !== 0) throw gitFailed('cannot fetch', fetched)
  const asked = await runGit(tools, ['ls-remote', '--symref', 'origin', 'HEAD'], { ...options, gitDir: path })
  settleHead(tools, path, /^ref: (refs\/heads\/\S+)\tHEAD$/m.exec(asked.stdout)?.[1])
}

/** Out of sight in one step: an interrupted removal leaves rubbish, never half a repo. */
export async function removeFromLibrary(reposDir: string, id: string): Promise<void> {
  const path = libraryPath(reposDir, id)
  if (!existsSync(path)) return
  const rubbish = mkdtempSync(join(reposDir, stagingPrefix))
  renameSync(path, join(rubbish, basename(path)))
  removeEmptyDirectories(dirname(path), reposDir)
  await removeTree(rubbish)
}

/** What a repo of the library is fetched from. */
export function fetchUrlOf(tools: GitTools, path: string): string {
  return askGit(tools, ['config', '--get', 'remote.origin.url'], { gitDir: path }).stdout.trimEnd()
}

function cloneHint({ id, url }: Source): string {
  const overSsh = /^https:\/\/github\.com\//.test(url)
    ? ` If you use ssh: agenc repo add git@github.com:${id.replace('github.com/', '')}.git`
    : ''
  return `See whether git can reach it: git ls-remote ${url}${overSsh}`
}

/** What a killed process left. A clone that takes a day is none. */
async function removeAbandoned(reposDir: string): Promise<void> {
  const names = readdirSync(reposDir).filter(name => name.startsWith(stagingPrefix))
  for (const path of names.map(name => join(reposDir, name))) {
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Number.POSITIVE_INFINITY }
    if (Date.now() - mtimeMs > abandonedAfterMs) await removeTree(path)
  }
}

/** The id under which the library has this repo already; letter case does not tell repos apart. */
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

function isRepo(directory: string): boolean {
  return existsSync(join(directory, 'HEAD')) && existsSync(join(directory, 'objects'))
}

function nested(inner: string, outer: string): AgencError {
  return new AgencError(
    `${inner} and ${outer} cannot both be in the library`,
    'One is a directory of the other.',
  )
}

const usualBranches = ['main', 'master', 'trunk', 'develop'].map(name => `refs/heads/${name}`)

/**
 * Makes HEAD of a library repo a branch that exists, so that a working copy starts on one: the remote's
 * default where it has one. A remote can name a branch that is gone, or none (a detached HEAD).
 */
export function settleHead(tools: GitTools, gitDir: string, remoteDefault?: string): void {
  const current = askGit(tools, ['symbolic-ref', '--quiet', 'HEAD'], { gitDir }).stdout.trim()
  if (current !== '' && current === remoteDefault) return
  const branches = listBranches(tools, gitDir)
  const chosen = chooseHead(branches, [remoteDefault, current], commitOfHead(tools, gitDir))
  if (chosen !== undefined && chosen !== current) askGit(tools, ['symbolic-ref', 'HEAD', chosen], { gitDir })
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
