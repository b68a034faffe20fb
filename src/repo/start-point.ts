import { AgencError, usageError } from '../errors.ts'
import { meantWords } from '../io/nearest.ts'
import { askGit, type GitTools } from './git.ts'
import { displayRepo } from './reference.ts'
import { submoduleMode } from './unsaved-work.ts'

/** A repo in the library. */
export interface LibraryRepo extends GitTools {
  id: string
  /** Its directory in the library. */
  path: string
}

/** The commit that a mission's work is compared with, and the name that it was found by. */
export interface Base {
  /** The name of a branch or tag, `origin/<branch>` for a branch that only the origin of a local repo has, or a commit. */
  ref: string
  commit: string
  isBranch: boolean
}

const shortCommit = 7

/** `main@b090269`, or only the commit if it was found by that. */
export function baseLabel({ ref, commit }: Pick<Base, 'ref' | 'commit'>): string {
  const short = commit.slice(0, shortCommit)
  return commit.startsWith(ref) ? short : `${ref}@${short}`
}

const heads = 'refs/heads/'
const tags = 'refs/tags/'
const ofOrigin = 'refs/remotes/origin/'

/** The default branch. Null if the repo has no commits. */
export function defaultBase(repo: LibraryRepo): Base | null {
  const head = ask(repo, 'symbolic-ref', '--quiet', 'HEAD')
  const commit = commitOf(repo, head)
  if (commit !== null) return { ref: head.slice(heads.length), commit, isBranch: true }
  const names = branchNames(repo)
  if (names.length === 0) return null
  throw new AgencError(
    `agenc cannot tell which branch of ${displayRepo(repo.id)} is the default one`,
    `Name the one to start on with --base. It has ${listed(names)}.`,
  )
}

/** False if no branch is known to be the default one. True for a repo without commits. */
export function hasDefault(repo: LibraryRepo): boolean {
  return commitOf(repo, 'HEAD') !== null || branchNames(repo).length === 0
}

/** The branch, tag or commit with this name. Null if there is none. */
export function findBase(repo: LibraryRepo, name: string): Base | null {
  if (name === 'HEAD') return defaultBase(repo)
  const short = name.replace(/^refs\/(heads|tags|remotes)\//, '')
  const plain = short.replace(/^origin\//, '')
  const candidates: [ref: string, shown: string, isBranch: boolean][] = [
    [`${heads}${short}`, short, true],
    [`${tags}${short}`, short, false],
    // People write `origin/main` for the branch of the remote, which is what the library has.
    ...(short === plain ? [] : ([[`${ofOrigin}${plain}`, short, false]] as [string, string, boolean][])),
    [`${heads}${plain}`, plain, true],
    [`${ofOrigin}${plain}`, `origin/${plain}`, false],
  ]
  const known = refsOf(repo, ...candidates.map(([ref]) => ref))
  for (const [ref, shown, isBranch] of candidates) {
    const commit = known.includes(ref) ? commitOf(repo, ref) : null
    if (commit !== null) return { ref: shown, commit, isBranch }
  }
  return findCommit(repo, name)
}

const commitPattern = /^[0-9a-f]{4,64}$/i

function findCommit(repo: LibraryRepo, name: string): Base | null {
  if (!commitPattern.test(name)) return null
  const commit = commitOf(repo, name)
  if (commit !== null) return { ref: name.toLowerCase(), commit, isBranch: false }
  const objects = ask(repo, 'rev-parse', `--disambiguate=${name}`).split('\n')
  const commits = objects.filter(object => commitOf(repo, object) === object)
  if (commits.length < 2) return null
  throw usageError(
    `several commits of ${displayRepo(repo.id)} start with ${name}`,
    `Write more of the one you mean: ${commits.slice(0, 5).join(', ')}`,
  )
}

export function noSuchBase(repo: LibraryRepo, name: string): AgencError {
  const branches = branchNames(repo)
  const names = [...branches, ...refsOf(repo, tags).map(ref => ref.slice(tags.length))]
  const meant = meantWords(name, names).slice(0, 3)
  const hint =
    meant.length > 0
      ? `Did you mean ${meant.join(' or ')}?`
      : branches.length > 0
        ? `It has ${listed(branches)}.`
        : 'It has no commits yet.'
  return new AgencError(`${displayRepo(repo.id)} has no branch, tag or commit ${JSON.stringify(name)}`, hint)
}

const mostListed = 8

function listed(branches: readonly string[]): string {
  const more = branches.length - mostListed
  const shown = branches.slice(0, mostListed).join(', ')
  return `${branches.length === 1 ? 'the branch' : 'the branches'} ${shown}${more > 0 ? ` and ${more} more` : ''}`
}

/** The branches of the remote, or of the directory that the repo was added from. The newest comes first. */
export function branchNames(repo: LibraryRepo): string[] {
  return refsOf(repo, heads).map(ref => ref.slice(heads.length))
}

function refsOf(repo: LibraryRepo, ...patterns: string[]): string[] {
  const listed = ask(repo, 'for-each-ref', '--sort=-committerdate', '--format=%(refname)', ...patterns)
  return listed === '' ? [] : listed.split('\n')
}

/** The commit of a branch that the remote has, or null. */
export function remoteBranch(repo: LibraryRepo, name: string): string | null {
  return commitOf(repo, `${heads}${name}`) ?? commitOf(repo, `${ofOrigin}${name}`)
}

/** A branch that keeps git from creating one with this name: git cannot have both `a` and `a/b`. */
export function obstacleTo(repo: LibraryRepo, name: string): string | undefined {
  return branchNames(repo).find(other => name.startsWith(`${other}/`) || other.startsWith(`${name}/`))
}

export function commitOf({ path, ...tools }: LibraryRepo, name: string): string | null {
  if (name === '') return null
  const args = ['rev-parse', '--quiet', '--verify', `${name}^{commit}`]
  const asked = askGit(tools, args, { gitDir: path })
  return asked.exitCode === 0 ? asked.stdout.trim() : null
}

/** The newest common commit. Null if there is none, as in a repo without its whole history. */
export function commonCommit(repo: LibraryRepo, one: string, other: string): string | null {
  return ask(repo, 'merge-base', one, other) || null
}

/** Whether the default branch has submodules. */
export function hasSubmodules(repo: LibraryRepo): boolean {
  if (ask(repo, 'ls-tree', 'HEAD', '.gitmodules') === '') return false
  return ask(repo, 'ls-tree', '-r', 'HEAD')
    .split('\n')
    .some(entry => entry.startsWith(`${submoduleMode} `))
}

function ask({ path, ...tools }: LibraryRepo, ...args: string[]): string {
  return askGit(tools, args, { gitDir: path }).stdout.trim()
}
