import { AgencError, Cancelled, unavailableError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import type { Result, Runner } from '../system/runner.ts'
import { withoutSecrets } from './reference.ts'

/** The parts of a context that git needs: the runner and the user's environment. */
export interface GitTools {
  exec: Runner
  env: NodeJS.ProcessEnv
}

export interface LongGitOptions extends GitOptions {
  /** git writes its progress to our stderr. */
  showsProgress?: boolean
  /** The output is also appended to this file. */
  logPath?: string
  /** git and ssh may ask for a password on the terminal. */
  mayPrompt?: boolean
  signal?: AbortSignal
  /** Further variables for git. */
  env?: NodeJS.ProcessEnv
  input?: string
}

/** Runs a short git command on a local repo. It contacts no server, and a query writes nothing. */
export function askGit(tools: GitTools, args: readonly string[], options: GitOptions = {}): Result {
  const env = {
    ...gitEnvironment(tools.env, { mayPrompt: false }),
    GIT_OPTIONAL_LOCKS: '0',
    // A repo can name a program as the source of its missing objects.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  }
  return present(tools.exec.capture('git', gitArguments(args, options), { cwd: options.cwd, env }))
}

/** Runs a long git command. Throws `Cancelled` if interrupted; returns a failure for the caller to judge. */
export async function runGit(
  tools: GitTools,
  args: readonly string[],
  options: LongGitOptions = {},
): Promise<Result> {
  const { cwd, signal, logPath, showsProgress = false, mayPrompt = false } = options
  if (signal?.aborted) throw new Cancelled()
  const result = await tools.exec.stream('git', gitArguments(args, options), {
    cwd,
    env: { ...gitEnvironment(tools.env, { mayPrompt }), ...options.env },
    stderr: showsProgress ? 'both' : 'pipe',
    logPath,
    ...(options.input === undefined ? {} : { input: options.input }),
    ...(signal ? { signal } : {}),
  })
  // Ctrl-C also reaches git, which may end before this process sees the signal.
  if (signal?.aborted || result.signal === 'SIGINT') throw new Cancelled()
  return present(result)
}

function present(result: Result): Result {
  if (result.missing)
    throw unavailableError('git is not installed', 'Install git, and make sure that it is in the PATH.')
  return result
}

/** git's reason for a failure, on one line. */
export function gitReason(result: Result): string {
  const lines = result.stderr
    .split(/[\r\n]+/)
    .map(cleanText)
    .filter(line => line !== '')
  const reason = lines.filter(line => /^(fatal|error): /.test(line)).at(-1) ?? lines.at(-1)
  if (reason) return withoutSecrets(reason.replace(/^(fatal|error): /, ''))
  return result.signal
    ? `git was killed by ${result.signal}`
    : `git failed (exit ${result.exitCode ?? 'code unknown'})`
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
  /** git may show its output in the user's pager. */
  mayPage?: boolean
}

/**
 * For every git that agenc starts: keeps git from running programs that a repo or its settings bring along. The user's
 * own settings for reaching a server (credentials, ssh, url.insteadOf, proxies) still apply.
 */
const safeConfig = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
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

const noPager = 'core.pager=cat'

/** If git itself started agenc, as from a hook, these variables would point our git at the wrong repo. */
const foreignVariables =
  /^GIT_(DIR|WORK_TREE|IMPLICIT_WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|INTERNAL_SUPER_PREFIX|CONFIG|CONFIG_PARAMETERS|GRAFT_FILE|SHALLOW_FILE|REPLACE_REF_BASE|NO_REPLACE_OBJECTS|QUARANTINE_PATH|ATTR_SOURCE|DEFAULT_HASH|DEFAULT_REF_FORMAT|EXTERNAL_DIFF|(LITERAL|GLOB|NOGLOB|ICASE)_PATHSPECS)$/

export function gitArguments(args: readonly string[], options: GitOptions = {}): string[] {
  return [
    ...(options.gitDir ? [`--git-dir=${options.gitDir}`] : []),
    ...(options.workTree ? [`--work-tree=${options.workTree}`] : []),
    ...[...safeConfig, ...(options.mayPage ? [] : [noPager]), ...(options.config ?? [])].flatMap(setting => [
      '-c',
      setting,
    ]),
    ...args,
  ]
}

/** A repo can pretend that its commits are others. A push or a clone does not. */
const realHistory = { GIT_NO_REPLACE_OBJECTS: '1', GIT_GRAFT_FILE: '/dev/null/none' }

export function gitEnvironment(
  env: NodeJS.ProcessEnv,
  { mayPrompt }: { mayPrompt: boolean },
): NodeJS.ProcessEnv {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !foreignVariables.test(name)))
  // A working copy must not need the network, so large files stay pointers until the user runs `git lfs pull`.
  const quiet = { ...own, ...realHistory, GIT_LFS_SKIP_SMUDGE: '1' }
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
 * Settings that disable every filter driver. A repo's attributes choose drivers, so without these settings a repo could
 * run the user's programs on its files.
 */
export function disabledFilters(tools: GitTools, repo: Pick<GitOptions, 'gitDir'>): string[] {
  const listed = askGit(tools, ['config', '--null', '--name-only', '--get-regexp', '^filter\\.'], repo)
  // Exit code 1 means that there are none.
  if (listed.exitCode !== 0 && listed.exitCode !== 1)
    throw new AgencError("cannot read the repo's git settings")
  const drivers = new Set(
    listed.stdout.split('\0').map(key => key.slice('filter.'.length, key.lastIndexOf('.'))),
  )
  drivers.delete('')
  return [...drivers].flatMap(driver => disable(driver))
}

function disable(driver: string): string[] {
  // `-c` ends the key at the first `=`, so it cannot name such a driver.
  if (driver.includes('=')) throw new AgencError(`cannot disable the git filter ${JSON.stringify(driver)}`)
  return [
    ...['clean', 'smudge', 'process'].map(command => `filter.${driver}.${command}=`),
    `filter.${driver}.required=false`,
  ]
}
