import { AgencError, unavailableError } from '../errors.ts'
import { collect } from '../exec/collect.ts'
import type { Result, Runner } from '../exec/runner.ts'

/** One tmux command: its name and its arguments, all of them data. */
export type TmuxCommand = readonly string[]

/** What tmux answered. `no-server`: there is none, so there are no sessions, windows or clients either. */
export type Answer =
  | { kind: 'ok'; lines: string[] }
  | { kind: 'no-server'; isInstalled: boolean }
  /** With what the commands before had to say. */
  | { kind: 'failed'; lines: string[]; command: string; message: string }

/** The one gateway to the program, for one server. */
export interface Tmux {
  readonly socket: string | null
  /** Runs the commands in order in one call; tmux stops at the first that fails. */
  ask(...commands: TmuxCommand[]): Answer
  /** The same, while this process goes on with something else. */
  askMeanwhile(...commands: TmuxCommand[]): Promise<Answer>
  /** The same, where a failure is an error. */
  tell(...commands: TmuxCommand[]): string[]
  /** The program's whole argument list, for callers that start it themselves. */
  arguments(...commands: TmuxCommand[]): string[]
}

/** `socket` null: tmux's own default. */
export function tmuxAt(exec: Runner, env: NodeJS.ProcessEnv, socket: string | null): Tmux {
  const prefix = ['-u', ...(socket === null ? [] : ['-S', socket])]
  const argumentsFor = (...commands: TmuxCommand[]) => [...prefix, ...chain(commands)]
  const ask = (...commands: TmuxCommand[]) =>
    answerOf(exec.capture('tmux', argumentsFor(...commands), { env }), commands)
  return {
    socket,
    arguments: argumentsFor,
    ask,
    askMeanwhile: async (...commands) => {
      const child = exec.start('tmux', argumentsFor(...commands), { env, stdio: ['ignore', 'pipe', 'pipe'] })
      return answerOf(await collect(child), commands)
    },
    tell: (...commands) => {
      const answer = ask(...commands)
      if (answer.kind === 'ok') return answer.lines
      throw refusal(answer, commands)
    },
  }
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

/** A `;` between commands separates them; one at the end of an argument would as well, and is escaped. */
export function chain(commands: readonly TmuxCommand[]): string[] {
  return commands.flatMap((command, index) => [
    ...(index === 0 ? [] : [';']),
    ...command.map(escapeSemicolon),
  ])
}

function escapeSemicolon(argument: string): string {
  return argument.endsWith(';') ? `${argument.slice(0, -1)}\\;` : argument
}

const noServer =
  /^(no server running on|error connecting to .*\((No such file or directory|Connection refused)\))/m

/** With exit 0, some versions: the socket's directory is not there. */
const notStarted = /^error creating /m

function answerOf(result: Result, commands: readonly TmuxCommand[]): Answer {
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

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

/**
 * For places where tmux expands formats, window names and directories among them: text stays text.
 * Hashes before a bracket are left alone by tmux, and so are they here.
 */
export function literal(text: string): string {
  return text.replace(
    /(#+)(\[?)/g,
    (_, hashes: string, bracket: string) => hashes.repeat(bracket ? 1 : 2) + bracket,
  )
}

/** For option values that end up in the status line, where a hash may begin a style. */
export function drawn(text: string): string {
  return text.replaceAll('#', '##')
}

/** For messages, which are expanded, times included, and then drawn. */
export function literalMessage(text: string): string {
  return literal(drawn(text)).replaceAll('%', '%%')
}
