import type { Context } from '../context.ts'

export interface ArgumentSpec {
  /** As shown in usage and as the key in the input: `mission`. */
  name: string
  description: string
  required?: boolean
  variadic?: boolean
}

export interface OptionSpec {
  /** `-a, --all`, `--name <text>`, `--no-focus`. */
  flags: string
  description: string
  hidden?: boolean
}

/**
 * One verb: what it takes, as data, and what it does.
 * `Input` holds arguments and options side by side, under their camelCased names.
 */
export interface Command<Input> {
  description?: string
  arguments?: readonly ArgumentSpec[]
  options?: readonly OptionSpec[]
  examples: readonly string[]
  /** Returns the exit code, nothing for 0. */
  run(context: Context, input: Input): Promise<number | undefined> | number | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: a registry holds commands of every input type
export type AnyCommand = Command<any>

export function defineCommand<Input>(command: Command<Input>): Command<Input> {
  return command
}

export const jsonOption: OptionSpec = { flags: '--json', description: 'print JSON for scripts' }

/** Every command that tells how it goes may take it; cli.ts does what it says. */
export const quietOption: OptionSpec = {
  flags: '-q, --quiet',
  description: 'no news, only results, warnings and errors; ask nothing',
}
