import type { ChildProcess, StdioOptions } from 'node:child_process'
import { lacksUnicode } from '../io/text.ts'
import type { Runner } from '../system/runner.ts'
import { deadlineFor, unlessSilent } from './deadline.ts'
import { type Answer, answerOf, cannotBeAsked, refusal, type Sourced, sourcedOf } from './tmux-answer.ts'

/** One tmux command: its name and its arguments. */
export type TmuxCommand = readonly string[]

/** Runs tmux commands on one server. Outside of this room, nothing starts the program. */
export interface Tmux {
  /** Null for tmux's default socket. */
  readonly socket: string | null
  /**
   * Runs the commands in order in one call. tmux stops at the first one that fails. A call that is not answered within
   * some seconds has failed, but tmux may still run its commands later.
   */
  ask(...commands: TmuxCommand[]): Answer
  /** Runs the commands like `ask`. A command that reads a file named `-` gets this text. */
  askWith(input: string, ...commands: TmuxCommand[]): Answer
  /** Runs the commands like `ask`, but throws if one fails. */
  tell(...commands: TmuxCommand[]): string[]
  /**
   * Runs a script, one command per line, in one call. Returns null if there is no server, or if it has just ended.
   * Throws if tmux does not answer.
   * Unlike an argument list, a script has no limit of 16 KB, keeps line breaks between commands, and never starts a
   * server, as `bind-key` and `list-keys` would.
   */
  source(script: readonly string[]): Sourced | null
  /** Starts the program and returns while it runs. There is no deadline. */
  start(stdio: StdioOptions, ...commands: TmuxCommand[]): ChildProcess
  /** Starts the program on this terminal, which may lack UTF-8. */
  startOnTerminal(...commands: TmuxCommand[]): ChildProcess
}

export interface TmuxOptions {
  /** Read instead of the user's tmux.conf, if this call starts the server. */
  configFile?: string
}

export function tmuxAt(
  exec: Runner,
  env: NodeJS.ProcessEnv,
  socket: string | null,
  { configFile }: TmuxOptions = {},
): Tmux {
  const argumentsFor = (commands: readonly TmuxCommand[], utf8 = ['-u']) => [
    ...utf8,
    ...(configFile === undefined ? [] : ['-f', configFile]),
    ...(socket === null ? [] : ['-S', socket]),
    ...chain(commands),
  ]
  // Without a socket, this directory decides which server is asked.
  const server = socket ?? env.TMUX_TMPDIR ?? ''
  const call = (commands: readonly TmuxCommand[], input?: string) =>
    unlessSilent(server, () =>
      exec.capture('tmux', argumentsFor(commands), { env, input, timeoutMs: deadlineFor(commands) }),
    )
  const ask = (...commands: TmuxCommand[]) => answerOf(call(commands), commands)
  return {
    socket,
    ask,
    askWith: (input, ...commands) => answerOf(call(commands, input), commands),
    tell: (...commands) => {
      const answer = ask(...commands)
      if (answer.kind === 'ok') return answer.lines
      throw refusal(answer, commands)
    },
    source: script => {
      const input = `${script.join('\n')}\n`
      const result = call([['source-file', '-']], input)
      if (result.timedOut) throw cannotBeAsked({ message: result.stderr })
      const done = sourcedOf(result)
      return done.errors.some(isServerGone) ? null : done
    },
    start: (stdio, ...commands) => exec.start('tmux', argumentsFor(commands), { env, stdio }),
    startOnTerminal: (...commands) =>
      exec.start('tmux', argumentsFor(commands, lacksUnicode(env) ? [] : ['-u']), {
        env,
        stdio: ['inherit', 'inherit', 'ignore'],
      }),
  }
}

function isServerGone(error: string): boolean {
  return /^(no server running|error connecting|server exited)/.test(error)
}

/** tmux separates commands by a `;` argument. It also reads a `;` at the end of an argument as a separator. */
export function chain(commands: readonly TmuxCommand[]): string[] {
  return commands.flatMap((command, index) => [
    ...(index === 0 ? [] : [';']),
    ...command.map(escapeSemicolon),
  ])
}

function escapeSemicolon(argument: string): string {
  return argument.endsWith(';') ? `${argument.slice(0, -1)}\\;` : argument
}

/**
 * Keeps text literal where tmux expands formats, as in window names and directories. tmux does not change hashes before
 * a bracket, so they are not doubled.
 */
export function literal(text: string): string {
  return text.replace(
    /(#+)(\[?)/g,
    (_, hashes: string, bracket: string) => hashes.repeat(bracket ? 1 : 2) + bracket,
  )
}

/** Keeps text literal in option values that are drawn in the status line, where a hash may begin a style. */
export function drawn(text: string): string {
  return text.replaceAll('#', '##')
}

/** Keeps text literal in messages, in which tmux expands formats, times and styles. */
export function literalMessage(text: string): string {
  return literal(drawn(text)).replaceAll('%', '%%')
}
