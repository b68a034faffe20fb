import { Command as Commander, CommanderError, Option } from 'commander'
import { type Entry, type Noun, nouns, topLevel } from '../commands/registry.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors.ts'
import { version } from '../version.ts'
import type { AnyCommand } from './command.ts'
import { wordsAlone } from './default-command.ts'
import { pageColumns } from './help/page.ts'
import { topicList } from './help/topics.ts'
import { runCommand } from './run-command.ts'

/** Finds the command named in `argv`, loads only that, and runs it. Resolves to the exit code. */
export async function runCli(context: Context, argv: readonly string[]): Promise<number> {
  const program = newCommander('agenc', context)
    .description(
      'Run many Claude Code agents at once, each in its own tmux window with its own copy of a repo.',
    )
    .version(version, '-V, --version', 'print the version')
    .addHelpText(
      'after',
      () => `\nTopics (agenc help <topic>):\n${topicList(Math.min(context.out.columns, pageColumns))}`,
    )
    .addHelpText(
      'after',
      '\nFirst steps:\n  $ agenc setup\n  $ agenc repo add owner/name\n  $ agenc mission new owner/name',
    )
  let exitCode = 0
  const load: Load = async (declared, entry) => {
    const { default: command } = await entry.load()
    declareCommand(declared, command, entry).action(async (...parameters) => {
      const input = inputOf(command, parameters)
      exitCode = await runCommand(context, command, input)
    })
  }
  if (argv[0] === 'help' && (await (await import('./help/explain-topic.ts')).explainTopic(context, argv)))
    return 0
  for (const [name, noun] of Object.entries(nouns)) addNoun(program, context, name, noun, load)
  addVerbs(program, context, topLevel, load)
  try {
    await program.parseAsync(withHelp(argv.length === 0 ? wordsAlone(context) : argv), { from: 'user' })
  } catch (error) {
    // Help and version were asked for and have been printed.
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    throw error
  }
  return exitCode
}

/** `agenc help mission new` and `agenc mission help new` are `agenc mission new --help`. */
function withHelp(argv: readonly string[]): readonly string[] {
  const place = Object.hasOwn(nouns, argv[0]!) ? 1 : 0
  const words = argv[place] === 'help' ? [...argv.toSpliced(place, 1), '--help'] : argv
  // There is no help for what does not exist: the mistake is what is worth saying.
  return isUnknown(words) ? words.filter(word => word !== '--help' && word !== '-h') : words
}

function isUnknown([first = '-', second = '-']: readonly string[]): boolean {
  if (first.startsWith('-') || Object.hasOwn(topLevel, first)) return false
  if (!Object.hasOwn(nouns, first)) return true
  return !second.startsWith('-') && !Object.hasOwn(nouns[first]!.verbs, second)
}

type Load = (declared: Commander, entry: Entry) => Promise<void>

function addNoun(program: Commander, context: Context, name: string, noun: Noun, load: Load): void {
  const group = newCommander(name, context).summary(noun.summary).description(`${noun.summary}.`)
  addVerbs(group, context, noun.verbs, load)
  program.addCommand(group)
}

/** Each is declared by its summary alone; the one that is named is loaded just before it is parsed. */
function addVerbs(group: Commander, context: Context, verbs: Record<string, Entry>, load: Load): void {
  for (const [name, { summary, hidden = false }] of Object.entries(verbs)) {
    const declared = newCommander(name, context).helpCommand(false).summary(summary)
    group.addCommand(declared, { hidden })
  }
  group.hook('preSubcommand', async (_group, named) => {
    const entry = Object.hasOwn(verbs, named.name()) ? verbs[named.name()] : undefined
    if (entry) await load(named, entry)
  })
}

/** Turns a command's data into commander's declarations; the docs are generated from the same. */
export function declareCommand(declared: Commander, command: AnyCommand, entry: Entry): Commander {
  declared.description(command.description ?? `${entry.summary}.`)
  for (const { name, description, required, variadic } of command.arguments ?? []) {
    const label = `${name}${variadic ? '...' : ''}`
    declared.argument(required ? `<${label}>` : `[${label}]`, description)
  }
  for (const { flags, description, hidden } of command.options ?? []) {
    declared.addOption(new Option(flags, description).hideHelp(hidden ?? false))
  }
  const title = command.examples.length === 1 ? 'Example' : 'Examples'
  return declared.addHelpText(
    'after',
    `\n${title}:\n${command.examples.map(example => `  $ ${example}`).join('\n')}`,
  )
}

/** Commander hands over each argument, then the options, then itself. */
function inputOf(command: AnyCommand, parameters: unknown[]): Record<string, unknown> {
  const names = (command.arguments ?? []).map(argument => argument.name)
  const options = parameters[names.length] as Record<string, unknown>
  const entries = names.map((name, index) => [name, parameters[index]] as const)
  return { ...options, ...Object.fromEntries(entries) }
}

export function newCommander(name: string, context: Context): Commander {
  const command = new Commander(name)
  return command
    .exitOverride(error => {
      throw error.exitCode === 0 ? error : usageErrorFrom(error, command)
    })
    .showSuggestionAfterError(true)
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .configureOutput({
      writeOut: text => context.out.write(text),
      // Usage errors are printed once, in our own form, by main.ts.
      writeErr: () => {},
      getOutHelpWidth: () => Math.min(context.out.columns, pageColumns),
      getOutHasColors: () => false,
    })
}

function usageErrorFrom(error: CommanderError, command: Commander): Error {
  const help = `Run '${fullName(command)} --help'.`
  if (error.code === 'commander.help') return usageError(`'${fullName(command)}' needs a command`, help)
  const [message, suggestion] = error.message.replace(/^error: /, '').split('\n')
  return usageError(message ?? error.message, suggestion?.replace(/^\(|\)$/g, '') ?? help)
}

function fullName(command: Commander): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()
}
