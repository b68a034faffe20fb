import { AgencError, Cancelled, unavailableError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import type { Result, Runner } from '../system/runner.ts'
import { withoutSecrets } from './refusal.ts'
import { type GitOptions, gitArguments, gitEnvironment } from './safety.ts'

export type { GitOptions } from './safety.ts'

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
