import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { AgencError, Cancelled } from '../errors.ts'
import { missionDirectory } from '../mission/mission-directory.ts'
import { missionTitle } from '../mission/tell-done.ts'
import type { MissionId } from '../mission-id.ts'
import { type GitTools, gitArguments, gitEnvironment, gitFailed } from '../repo/git.ts'
import { libraryPath } from '../repo/library.ts'
import { collect, type Result } from '../system/runner.ts'

/**
 * The git repo of one mission. Its Claude can write everything in the directory, git's settings included. So agenc's git
 * uses the settings of the library's repo, and only the objects and the files of the mission.
 */
export interface MissionRepo extends GitTools {
  id: MissionId
  /** The bare repo in the library. */
  library: string
  /** The mission's working copy. */
  directory: string
}

/** The repo of a mission, whose directory may be gone. Throws if the mission has no repo in the library. */
export function missionRepo(
  { exec, env, paths }: Context,
  mission: Pick<MissionRecord, 'id' | 'name' | 'repo' | 'dir'>,
): MissionRepo {
  if (mission.repo === null && mission.dir !== null)
    throw new AgencError(
      `${missionTitle(mission)} works in your own directory`,
      `agenc records nothing of its work. Use git in ${mission.dir}.`,
    )
  if (mission.repo === null)
    throw new AgencError(
      `${missionTitle(mission)} has no repo`,
      'It was started in a directory without one, so git cannot compare its files with anything.',
    )
  const library = libraryPath(paths.repos, mission.repo)
  return { exec, env, id: mission.id, library, directory: missionDirectory(paths, mission) }
}

/** Where the library keeps the work of a mission. */
export function keptRefs(id: MissionId) {
  const root = `refs/agenc/${id}`
  return {
    root: `${root}/`,
    /** Its branches, by name. */
    heads: `${root}/heads/`,
    /** The state of its directory after each turn, by number. */
    checkpoints: `${root}/checkpoints/`,
    /** The newest state of its directory that any command has recorded. */
    now: `${root}/now`,
    /** The commit that its HEAD named. */
    head: `${root}/head`,
  }
}

/** The same checkpoints, in the mission's own repo. */
export const checkpointRefs = 'refs/agenc/checkpoints/'

export interface RepoGitOptions {
  input?: string
  /** Input and output are latin1, so that they keep bytes that are no text. */
  isBinary?: boolean
  /** Variables for git, such as GIT_INDEX_FILE. */
  env?: NodeJS.ProcessEnv
  config?: readonly string[]
  signal?: AbortSignal
  /** Runs git at a lower priority than Claude. */
  isLow?: boolean
  cwd?: string
}

/**
 * Runs git on the library's repo, with the mission's objects at hand if they are there. Contacts no server, asks for no
 * password, and runs no program that the mission or its repo names.
 */
export async function libraryGit(
  repo: MissionRepo,
  args: readonly string[],
  options: RepoGitOptions = {},
): Promise<Result> {
  const objects = ownObjects(repo)
  return runQuietly(repo, gitArguments(args, { gitDir: repo.library, config: options.config }), {
    ...options,
    env: {
      ...(objects === null ? {} : withObjects([objects])),
      ...options.env,
    },
  })
}

/** Runs git on the mission's own repo. Only for its refs and its index: settings there are not trusted. */
export async function ownGit(
  repo: MissionRepo,
  args: readonly string[],
  options: RepoGitOptions = {},
): Promise<Result> {
  const gitDir = join(repo.directory, '.git')
  return runQuietly(repo, gitArguments(args, { gitDir, config: options.config }), options)
}

/** The output of a git that must not fail. */
export async function outputOf(asked: Promise<Result>, what: string): Promise<string> {
  const result = await asked
  if (result.exitCode !== 0) throw gitFailed(what, result)
  return result.stdout
}

async function runQuietly(
  { exec, env }: GitTools,
  args: readonly string[],
  { input, isBinary, env: more, signal, isLow, cwd }: RepoGitOptions,
): Promise<Result> {
  if (signal?.aborted) throw new Cancelled()
  const [program, ...words] = [...(isLow ? ['nice', '-n', '10'] : []), 'git', ...args]
  const child = exec.start(program!, words, {
    cwd,
    env: {
      ...gitEnvironment(env, { mayPrompt: false }),
      GIT_OPTIONAL_LOCKS: '0',
      // Without these, a repo could name a program as the source of its missing objects.
      GIT_NO_LAZY_FETCH: '1',
      GIT_ALLOW_PROTOCOL: 'none',
      ...more,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const end = () => void child.kill()
  signal?.addEventListener('abort', end, { once: true })
  // git may end before it has read everything.
  child.stdin?.on('error', () => {})
  const encoding = isBinary ? 'latin1' : 'utf8'
  child.stdin?.end(input ?? '', encoding)
  try {
    const result = await collect(child, encoding)
    if (signal?.aborted) throw new Cancelled()
    return result
  } finally {
    signal?.removeEventListener('abort', end)
  }
}

/**
 * The objects of the mission's own repo, or null if it has none. Nothing is followed: a `.git` that leads elsewhere would
 * make agenc read or write another repo.
 */
export function ownObjects({ directory }: Pick<MissionRepo, 'directory'>): string | null {
  const gitDir = join(directory, '.git')
  const objects = join(gitDir, 'objects')
  const isOwn = [directory, gitDir, objects, join(gitDir, 'refs')].every(isDirectory)
  return isOwn && !existsSync(join(gitDir, 'commondir')) ? objects : null
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Lets one git read the objects of these directories too. Null stands for none. */
export function withObjects(directories: readonly (string | null)[]): NodeJS.ProcessEnv {
  const paths = directories.flatMap(path => (path === null ? [] : [quotedPath(path)]))
  return { GIT_ALTERNATE_OBJECT_DIRECTORIES: paths.join(':') }
}

/** git splits the list of object directories at colons, except inside quotes. */
function quotedPath(path: string): string {
  return /[:"\\\n]/.test(path) ? JSON.stringify(path) : path
}
