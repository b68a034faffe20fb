import { AgencError, Cancelled, unavailableError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import type { Result, Runner } from '../system/runner.ts'
import { withoutSecrets } from './reference.ts'

/** What it takes to run git: the runner, and the user's environment. */
export interface GitTools {
  exec: Runner
  env: NodeJS.ProcessEnv
}

export interface LongGitOptions extends GitOptions {
  /** git draws its own progress on our stderr. */
  showsProgress?: boolean
  /** git and ssh may ask for a password on the terminal. */
  mayPrompt?: boolean
  signal?: AbortSignal
}

/** Short work on a repo of this machine: it reaches no server, and a question leaves no trace. */
export function askGit(tools: GitTools, args: readonly string[], options: GitOptions = {}): Result {
  const env = {
    ...gitEnvironment(tools.env, { mayPrompt: false }),
    GIT_OPTIONAL_LOCKS: '0',
    // A repo can name a program as the place where missing objects are to be had.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  }
  return present(tools.exec.capture('git', gitArguments(args, options), { cwd: options.cwd, env }))
}

/** Work that takes its time. Throws `Cancelled` when it was interrupted; a failure is the caller's to judge. */
export async function runGit(
  tools: GitTools,
  args: readonly string[],
  options: LongGitOptions = {},
): Promise<Result> {
  const { cwd, signal, showsProgress = false, mayPrompt = false } = options
  if (signal?.aborted) throw new Cancelled()
  const result = await tools.exec.stream('git', gitArguments(args, options), {
    cwd,
    env: gitEnvironment(tools.env, { mayPrompt }),
    stderr: showsProgress ? 'inherit' : 'pipe',
    ...(signal ? { signal } : {}),
  })
  // Ctrl-C reaches git as well, and its end may be seen before ours.
  if (signal?.aborted || result.signal === 'SIGINT') throw new Cancelled()
  return present(result)
}

function present(result: Result): Result {
  if (result.missing)
    throw unavailableError('git is not installed', 'Install git and see that it is in the PATH.')
  return result
}

/** git's own reason, for one line of a terminal. */
export function gitReason(result: Result): string {
  const lines = result.stderr
    .split(/[\r\n]+/)
    .map(cleanText)
    .filter(line => line !== '')
  const told = lines.filter(line => /^(fatal|error): /.test(line)).at(-1) ?? lines.at(-1)
  if (told) return withoutSecrets(told.replace(/^(fatal|error): /, ''))
  return result.signal
    ? `git was ended by ${result.signal}`
    : `git ended with ${result.exitCode ?? 'no exit code'}`
}

export function gitFailed(what: string, result: Result, hint?: string): AgencError {
  return new AgencError(`${what}: ${gitReason(result)}`, hint)
}

export interface GitOptions {
  cwd?: string
  gitDir?: string
  workTree?: string
  /** Further settings for this call, `key=value`. */
  config?: readonly string[]
}

/**
 * For every git that agenc starts: nothing that a repo or its settings bring along is executed.
 * The user's own settings for reaching a server (credentials, ssh, url.insteadOf, proxies) stay.
 */
const safeConfig = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'log.showSignature=false',
  'protocol.ext.allow=never',
  'protocol.file.allow=user',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'gc.autoDetach=false',
  'maintenance.autoDetach=false',
]

/** They belong to the git command that agenc may have been started from, and would point ours elsewhere. */
const foreignVariables =
  /^GIT_(DIR|WORK_TREE|IMPLICIT_WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|INTERNAL_SUPER_PREFIX|CONFIG|CONFIG_PARAMETERS|GRAFT_FILE|SHALLOW_FILE|REPLACE_REF_BASE|NO_REPLACE_OBJECTS|QUARANTINE_PATH|ATTR_SOURCE|DEFAULT_HASH|DEFAULT_REF_FORMAT|EXTERNAL_DIFF|(LITERAL|GLOB|NOGLOB|ICASE)_PATHSPECS)$/

export function gitArguments(args: readonly string[], options: GitOptions = {}): string[] {
  return [
    ...(options.gitDir ? [`--git-dir=${options.gitDir}`] : []),
    ...(options.workTree ? [`--work-tree=${options.workTree}`] : []),
    ...[...safeConfig, ...(options.config ?? [])].flatMap(setting => ['-c', setting]),
    ...args,
  ]
}

export function gitEnvironment(
  env: NodeJS.ProcessEnv,
  { mayPrompt }: { mayPrompt: boolean },
): NodeJS.ProcessEnv {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !foreignVariables.test(name)))
  // Large files come over the network, which a working copy must not need; `git lfs pull` gets them.
  const quiet = { ...own, GIT_LFS_SKIP_SMUDGE: '1' }
  if (mayPrompt) return quiet
  return {
    ...quiet,
    GIT_TERMINAL_PROMPT: '0',
    GCM_INTERACTIVE: 'never',
    SSH_ASKPASS: env.SSH_ASKPASS || 'false',
    SSH_ASKPASS_REQUIRE: 'force',
  }
}

/**
 * Settings that take every filter driver its program away. A repo's attributes choose the driver,
 * so without this it could have the user's programs run on its files.
 */
export function disabledFilters(tools: GitTools, repo: Pick<GitOptions, 'gitDir'>): string[] {
  const listed = askGit(tools, ['config', '--null', '--name-only', '--get-regexp', '^filter\\.'], repo)
  // 1: there are none.
  if (listed.exitCode !== 0 && listed.exitCode !== 1) throw new AgencError('cannot read its git settings')
  const drivers = new Set(
    listed.stdout.split('\0').map(key => key.slice('filter.'.length, key.lastIndexOf('.'))),
  )
  drivers.delete('')
  return [...drivers].flatMap(driver => disable(driver))
}

function disable(driver: string): string[] {
  // `-c` ends the key at the first `=`, so such a driver cannot be addressed.
  if (driver.includes('=')) throw new AgencError(`cannot switch off the git filter ${JSON.stringify(driver)}`)
  return [
    ...['clean', 'smudge', 'process'].map(command => `filter.${driver}.${command}=`),
    `filter.${driver}.required=false`,
  ]
}
