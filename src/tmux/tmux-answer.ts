import { AgencError, unavailableError } from '../errors.ts'
import type { Result } from '../system/runner.ts'
import type { TmuxCommand } from './tmux.ts'

/** The result of a tmux call. `no-server` also means that there are no sessions, windows or clients. */
export type Answer =
  | { kind: 'ok'; lines: string[] }
  | { kind: 'no-server'; isInstalled: boolean }
  /** `lines` is the output of the commands before the one that failed. After a time-out, nothing is known. */
  | { kind: 'failed'; lines: string[]; command: string; message: string; timedOut?: true }

const noServer =
  /^(no server running on|error connecting to .*\((No such file or directory|Connection refused)\))/m

/** Some versions exit with 0 even if the socket's directory does not exist. */
const notStarted = /^error creating /m

export function answerOf(result: Result, commands: readonly TmuxCommand[]): Answer {
  if (result.missing) return { kind: 'no-server', isInstalled: false }
  if (result.exitCode === 0 && !notStarted.test(result.stderr))
    return { kind: 'ok', lines: linesOf(result.stdout) }
  if (noServer.test(result.stderr) && !result.timedOut) return { kind: 'no-server', isInstalled: true }
  return {
    kind: 'failed',
    lines: linesOf(result.stdout),
    command: commands[0]?.[0] ?? '',
    message: result.stderr.trim() || `exit ${result.exitCode}`,
    ...(result.timedOut ? { timedOut: true } : {}),
  }
}

export function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

export function cannotBeAsked({ message }: { message: string }): AgencError {
  return new AgencError(`tmux does not answer: ${message}`, "Check that 'tmux ls' works.")
}

/** The error to show when tmux did not carry out a command. */
export function refusal(
  answer: Exclude<Answer, { kind: 'ok' }>,
  commands: readonly TmuxCommand[],
): AgencError {
  if (answer.kind === 'no-server' && !answer.isInstalled)
    return unavailableError('tmux is not installed', 'Install it: apt-get install tmux, or brew install tmux')
  if (answer.kind === 'failed' && answer.timedOut) return cannotBeAsked(answer)
  const message = answer.kind === 'no-server' ? 'no server is running' : answer.message
  return new AgencError(
    `tmux ${commands[0]?.[0]}: ${message}`,
    "If the agenc session is not running, start it with 'agenc tmux attach'.",
  )
}

/** The result of a script. After a command that fails, tmux still runs the following ones. */
export interface Sourced {
  lines: string[]
  errors: string[]
}

export function sourcedOf({ exitCode, stdout, stderr }: Result): Sourced {
  const errors = filledLines(stderr)
  if (exitCode !== 0 && errors.length === 0) errors.push(`exit ${exitCode}`)
  return { lines: filledLines(stdout), errors }
}

function filledLines(text: string): string[] {
  return text.split('\n').filter(line => line !== '')
}
