import { AgencError, unavailableError } from '../errors.ts'
import type { Result } from '../system/runner.ts'
import type { TmuxCommand } from './tmux.ts'

/** What tmux answered. `no-server`: there is none, so there are no sessions, windows or clients either. */
export type Answer =
  | { kind: 'ok'; lines: string[] }
  | { kind: 'no-server'; isInstalled: boolean }
  /** With what the commands before had to say. */
  | { kind: 'failed'; lines: string[]; command: string; message: string }

const noServer =
  /^(no server running on|error connecting to .*\((No such file or directory|Connection refused)\))/m

/** With exit 0, some versions: the socket's directory is not there. */
const notStarted = /^error creating /m

/** What a call of the program with these commands came to. */
export function answerOf(result: Result, commands: readonly TmuxCommand[]): Answer {
  if (result.missing) return { kind: 'no-server', isInstalled: false }
  if (result.exitCode === 0 && !notStarted.test(result.stderr))
    return { kind: 'ok', lines: linesOf(result.stdout) }
  if (noServer.test(result.stderr)) return { kind: 'no-server', isInstalled: true }
  return {
    kind: 'failed',
    lines: linesOf(result.stdout),
    command: commands[0]?.[0] ?? '',
    message: result.stderr.trim() || `exit ${result.exitCode}`,
  }
}

function notInstalled(): AgencError {
  return unavailableError('tmux is not installed', 'Install it: apt-get install tmux, or brew install tmux')
}

export function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

/** What to tell people where tmux did not do as it was told. */
export function refusal(
  answer: Exclude<Answer, { kind: 'ok' }>,
  commands: readonly TmuxCommand[],
): AgencError {
  if (answer.kind === 'no-server' && !answer.isInstalled) return notInstalled()
  const message = answer.kind === 'no-server' ? 'no server is running' : answer.message
  return new AgencError(
    `tmux ${commands[0]?.[0]}: ${message}`,
    "Is the agenc session there? Run 'agenc tmux attach'.",
  )
}
