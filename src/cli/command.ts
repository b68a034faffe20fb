import { type Context, withChanges } from '../context.ts'
import { quietOutput } from '../io/output.ts'

export interface ArgumentSpec {
  /** The name shown in usage, which is also the key in the input: `mission`. */
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
  /** Loses work or ends something. Never suggested to a user who mistyped another word. */
  destructive?: boolean
  /** May be given more than once. Its value is a list. */
  repeats?: boolean
}

/**
 * One verb: its arguments and options as data, and the function that runs it.
 * `Input` holds arguments and options side by side, under their camelCased names.
 */
export interface Command<Input> {
  /** Defaults to the summary in the registry. */
  description?: string
  arguments?: readonly ArgumentSpec[]
  options?: readonly OptionSpec[]
  examples: readonly string[]
  /** Returns the exit code. Returning nothing means 0. */
  run(context: Context, input: Input): Promise<number | undefined> | number | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: a registry holds commands of every input type
export type AnyCommand = Command<any>

/** A command as the registry lists it. Lists of commands need only the summary; `load` brings the rest. */
export interface Entry {
  summary: string
  load: () => Promise<{ default: AnyCommand }>
  hidden?: boolean
  /** Loses work or ends something. Never suggested to a user who mistyped another word. */
  destructive?: boolean
  /** Built as a single file below dist/hot that starts without commander. For commands bound to keys or run in loops. */
  hot?: boolean
  /** The kind of values that completion offers, by argument or option, if the name alone does not tell. */
  completes?: Readonly<Record<string, string>>
}

export interface Noun {
  summary: string
  verbs: Readonly<Record<string, Entry>>
}

/** All commands of the program. */
export interface Registry {
  description: string
  /** Command lines shown at the end of `agenc --help`. */
  firstSteps: readonly string[]
  nouns: Readonly<Record<string, Noun>>
  /** Commands without a noun. */
  topLevel: Readonly<Record<string, Entry>>
  shortForms: ShortForms
}

/** Words that stand for a noun and a verb: `ls` for `mission ls`. */
export type ShortForms = Readonly<Record<string, string>>

/** Replaces a short form at the start of a command line. */
export function withoutShortForm(shortForms: ShortForms, words: readonly string[]): readonly string[] {
  const whole = ownEntry(shortForms, words[0])
  return whole === undefined ? words : [...whole.split(' '), ...words.slice(1)]
}

export function defineCommand<Input>(command: Command<Input>): Command<Input> {
  return command
}

export const jsonOption: OptionSpec = { flags: '--json', description: 'print JSON' }

/** Any command that reports progress may take this option; `runCommand` honours it. */
export const quietOption: OptionSpec = {
  flags: '-q, --quiet',
  description: 'print only results, warnings and errors; ask nothing',
}

export async function runCommand(
  context: Context,
  command: AnyCommand,
  input: Record<string, unknown>,
): Promise<number> {
  const quieted = input.quiet ? withChanges(context, { err: quietOutput(context.err) }) : context
  return (await command.run(quieted, input)) ?? 0
}

/** Looks up a word the user typed. Words such as `constructor` must not find inherited properties. */
export function ownEntry<T>(entries: Readonly<Record<string, T>>, name: string | undefined): T | undefined {
  return name !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined
}

/** The names in `-a, --all <value>`: `-a` and `--all`. */
export function flagNames({ flags }: { flags: string }): string[] {
  return flags.split(/[ ,]+/).filter(word => word.startsWith('-'))
}
