import { existsSync, realpathSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { RepoConfig } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { cleanText } from '../io/text.ts'
import { askGit, disabledFilters, type GitTools, gitFailed, type LongGitOptions, runGit } from './git.ts'
import { fetchUrlOf, libraryPath } from './library.ts'
import { parseRemote } from './reference.ts'
import { expandHome } from './repo-source.ts'

/** The user's own checkout of a repo, from which files are copied that git does not carry. */
export interface IncludeSource {
  root: string
  /** The repo in the library. */
  library: string
  /** For git in the checkout, which contacts no server and writes nothing. */
  git: LongGitOptions
}

interface SourceWish {
  repo: string
  settings: RepoConfig | undefined
  /** The user expects files from the checkout, and is told if none is known. */
  isWanted: boolean
}

/** Finds the checkout that the settings name, or from which the repo was added. Tells the user why there is none. */
export function findIncludeSource(
  context: Context,
  { repo, settings, isWanted }: SourceWish,
): IncludeSource | null {
  const library = libraryPath(context.paths.repos, repo)
  const setting = settings?.checkout
  const source = fetchUrlOf(context, library)
  const path = setting === undefined ? source : expandHome(setting, context.env)
  const shown = cleanText(setting ?? source)
  const say = (problem: string) => {
    if (isWanted || setting !== undefined) context.err.line(`agenc: ${problem}`)
    return null
  }
  const howToSet = `set it with: agenc config set repos.${repo}.checkout <path>`
  if (setting === undefined && !isAbsolute(path))
    return say(`no files are copied, because your checkout of ${repo} is not known; ${howToSet}`)
  if (!isAbsolute(path)) return say(`repos.${repo}.checkout is not an absolute path: ${shown}`)
  if (!existsSync(path)) return say(`your checkout of ${repo} is gone: ${shown}`)
  const root = realpathSync(path)
  if (!existsSync(join(root, '.git')))
    return setting === undefined
      ? say(`no files are copied, because ${shown} is a bare repo; ${howToSet}`)
      : say(`${shown} is not a checkout of ${repo}`)
  const git = { gitDir: join(root, '.git'), workTree: root, cwd: root }
  if (setting !== undefined && !isSameRepo(context, { git, library, repo, source }))
    return say(`${shown} is not a checkout of ${repo}`)
  return { root, library, git: { ...git, env: quiet } }
}

const quiet = { GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' }

interface Compared {
  git: { gitDir: string; workTree: string; cwd: string }
  library: string
  repo: string
  source: string
}

/** A clone of the same repo has it as a remote, or has commits of it. */
function isSameRepo(tools: GitTools, { git, library, repo, source }: Compared): boolean {
  if (source === git.workTree) return true
  const asked = askGit(tools, ['config', '--null', '--get-regexp', '^remote\\..*\\.url$'], git)
  const urls = asked.stdout.split('\0').map(entry => entry.slice(entry.indexOf('\n') + 1))
  if (urls.some(url => url !== '' && (url === source || idOf(url) === repo))) return true
  const head = (options: { gitDir: string }) =>
    askGit(tools, ['rev-parse', '--quiet', '--verify', 'HEAD'], options).stdout.trim()
  const has = (options: { gitDir: string }, commit: string) =>
    commit !== '' && askGit(tools, ['cat-file', '-e', `${commit}^{commit}`], options).exitCode === 0
  return has(git, head({ gitDir: library })) || has({ gitDir: library }, head(git))
}

function idOf(url: string): string | null {
  try {
    return parseRemote(url).id
  } catch {
    return null
  }
}

/** Says that changes in the checkout are not in the mission, if there are any. */
export async function tellIfDirty(
  context: Context,
  { root, git }: IncludeSource,
  signal: AbortSignal,
): Promise<void> {
  const args = ['status', '--porcelain', '-z', '--no-renames', '--ignore-submodules=dirty']
  const config = disabledFilters(context, git)
  const asked = await runGit(context, args, { ...git, config, signal })
  if (asked.exitCode !== 0) throw gitFailed(`cannot tell whether ${cleanText(root)} has changes`, asked)
  if (asked.stdout !== '')
    context.err.line(
      `agenc: ${shownPath(context, root)} has uncommitted changes; they are not in this mission`,
    )
}

/** A path below the home directory starts with `~`. */
export function shownPath({ env }: Pick<Context, 'env'>, path: string): string {
  const home = env.HOME
  return cleanText(home && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path)
}
