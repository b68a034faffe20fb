import type { Runner } from '../system/runner.ts'
import { type OpenCall, openCall } from './open-call.ts'
import { type Answer, answerOf, refusal } from './tmux-answer.ts'

/** One tmux command: its name and its arguments, all of them data. */
export type TmuxCommand = readonly string[]

/** The one gateway to the program, for one server. */
export interface Tmux {
  readonly socket: string | null
  /** Runs the commands in order in one call; tmux stops at the first that fails. */
  ask(...commands: TmuxCommand[]): Answer
  /** The same, while this process goes on with something else; more may follow in the same call. */
  openCall(...commands: TmuxCommand[]): Promise<OpenCall>
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
    openCall: (...first) =>
      openCall((...commands) => exec.start('tmux', argumentsFor(...commands), { env, stdio: 'pipe' }), first),
    tell: (...commands) => {
      const answer = ask(...commands)
      if (answer.kind === 'ok') return answer.lines
      throw refusal(answer, commands)
    },
  }
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
