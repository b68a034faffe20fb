import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { askGit, type GitTools } from './git.ts'
import {
  localHost,
  makeRepoId,
  parseReference,
  refuse,
  type Source,
  safeSegmentFrom,
  withoutSecrets,
} from './reference.ts'

/** The repo that a user named, ready to be fetched. Looks at the disk if they gave a path. */
export function sourceOf(tools: GitTools, text: string, cwd: string): Source {
  const reference = parseReference(text)
  return reference.kind === 'path' ? localSource(tools, reference.path, cwd) : reference
}

/** The `url` of a repo that is fetched from this address. The origin of a local repo may have changed since it was added. */
export function currentUrl(tools: GitTools, fetchUrl: string): string {
  try {
    return sourceOf(tools, fetchUrl, '/').url
  } catch {
    return withoutSecrets(fetchUrl)
  }
}

/** A local repo is fetched from its path. Its origin is the repo's own origin, or that path if it has none. */
export function localSource(tools: GitTools, text: string, cwd: string): Source {
  const root = repoRoot(text, resolve(cwd, expandHome(text, tools.env)))
  const parent = basename(dirname(root)) || '_'
  const name = basename(root).replace(/\.git$/i, '')
  return {
    id: makeRepoId([localHost, safeSegmentFrom(parent), safeSegmentFrom(name)]),
    url: originOf(tools, root) ?? root,
    fetchUrl: root,
  }
}

/** The repo around a directory, or the path itself if there is none. */
export function repoAround(tools: GitTools, text: string, cwd: string): string {
  const reference = parseReference(text)
  const path = resolve(cwd, expandHome(reference.kind === 'path' ? reference.path : text, tools.env))
  return gitDirectory(path) || !existsSync(path) ? path : (enclosingRepo(path) ?? path)
}

/** A shell leaves the `~` of `--option=~/path` alone. */
export function expandHome(path: string, env: NodeJS.ProcessEnv): string {
  return path.replace(/^~(?=\/|$)/, () => env.HOME || homedir())
}

function repoRoot(text: string, path: string): string {
  if (!existsSync(path)) throw refuse(text, `${path} does not exist`)
  const real = realpathSync(path)
  const root = basename(real) === '.git' ? dirname(real) : real
  if (gitDirectory(root)) return root
  const around = enclosingRepo(dirname(root))
  throw around
    ? refuse(text, `it is a directory in the repo ${around}`, `Add the whole repo: agenc repo add ${around}`)
    : refuse(
        text,
        `${root} is not a git repo`,
        `Make it one with 'git init', or start a mission with --blank.`,
      )
}

function gitDirectory(root: string): string | undefined {
  if (existsSync(join(root, '.git'))) return join(root, '.git')
  return existsSync(join(root, 'HEAD')) && existsSync(join(root, 'objects')) ? root : undefined
}

function enclosingRepo(directory: string): string | undefined {
  if (existsSync(join(directory, '.git'))) return directory
  return dirname(directory) === directory ? undefined : enclosingRepo(dirname(directory))
}

/** The repo's settings are not trusted: ignores an origin that agenc would refuse from a user. */
function originOf(tools: GitTools, root: string): string | undefined {
  const asked = askGit(tools, ['config', '--get', 'remote.origin.url'], { gitDir: gitDirectory(root)! })
  const origin = asked.stdout.trimEnd()
  if (asked.exitCode !== 0 || origin === '') return undefined
  try {
    const reference = parseReference(origin)
    return reference.kind === 'path' ? resolve(root, reference.path) : reference.url
  } catch {
    return undefined
  }
}
