import { Command as Commander, CommanderError, Option } from 'commander'
import type { Context } from '../context.ts'
import { usageError } from '../errors.ts'
import { version } from '../version.ts'
import { type AnyCommand, type Entry, type Noun, ownEntry, type Registry, runCommand } from './command.ts'
import { topicList, topicNamed } from './help/topics.ts'

/** Help is never wider than this, however wide the terminal is. */
export const helpColumns = 80

/** Finds the command that `argv` names, loads only that one, and runs it. Resolves to the exit code. */
export async function runCli(context: Context, registry: Registry, argv: readonly string[]): Promise<number> {
  const topic = argv.length === 2 && argv[0] === 'help' ? topicNamed(argv[1]!) : undefined
  if (topic) {
    const { printTopic } = await import('./help/print-topic.ts')
    await printTopic(context, topic)
    return 0
  }
  let exitCode = 0
  const program = declareProgram(context, registry, async (declared, entry) => {
    const { default: command } = await entry.load()
    declareCommand(declared, command, entry).action(async (...parameters) => {
      exitCode = await runCommand(context, command, inputOf(command, parameters))
    })
  })
  try {
    await program.parseAsync(helpAsFlag(registry, argv), { from: 'user' })
  } catch (error) {
    // Commander throws after it has printed help or the version.
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    throw error
  }
  return exitCode
}

/** Rewrites `help mission new` and `mission help new` to `mission new --help`. */
function helpAsFlag(registry: Registry, argv: readonly string[]): readonly string[] {
  const position = ownEntry(registry.nouns, argv[0]) ? 1 : 0
  const words = argv[position] === 'help' ? [...argv.toSpliced(position, 1), '--help'] : argv
  // With --help, commander would print the general help for an unknown command instead of an error.
  return isUnknown(registry, words) ? words.filter(word => word !== '--help' && word !== '-h') : words
}

function isUnknown({ nouns, topLevel }: Registry, [first = '-', second = '-']: readonly string[]): boolean {
  if (first.startsWith('-') || ownEntry(topLevel, first)) return false
  const noun = ownEntry(nouns, first)
  return !noun || (!second.startsWith('-') && !ownEntry(noun.verbs, second))
}

type Load = (declared: Commander, entry: Entry) => Promise<void>

function declareProgram(context: Context, registry: Registry, load: Load): Commander {
  const program = newCommander('agenc', context)
    .description(registry.description)
    .version(version, '-V, --version', 'print the version')
    .addHelpText('after', () => `\nTopics (agenc help <topic>):\n${topicList(helpWidth(context))}`)
    .addHelpText('after', `\nFirst steps:\n${shellLines(registry.firstSteps)}`)
  for (const [name, { summary }] of Object.entries(registry.nouns))
    program.addCommand(newCommander(name, context).summary(summary).description(`${summary}.`))
  addVerbs(program, context, registry.topLevel, load)
  // Declaring the verbs of every noun would take longer than all the rest of `agenc --help`.
  return program.hook('preSubcommand', (_program, named) => {
    const noun = ownEntry(registry.nouns, named.name())
    if (noun) addVerbs(named, context, noun.verbs, load)
  })
}

/** Declares every verb by its summary alone. The one that was named is loaded just before it is parsed. */
function addVerbs(group: Commander, context: Context, verbs: Noun['verbs'], load: Load): void {
  for (const [name, { summary, hidden = false }] of Object.entries(verbs)) {
    const declared = newCommander(name, context).helpCommand(false).summary(summary)
    group.addCommand(declared, { hidden })
  }
  group.hook('preSubcommand', async (_group, named) => {
    const entry = ownEntry(verbs, named.name())
    if (entry) await load(named, entry)
  })
}

/** Turns a command's data into commander's declarations. The pages in docs/commands are made by it too. */
export function declareCommand(declared: Commander, command: AnyCommand, entry: Entry): Commander {
  declared.description(command.description ?? `${entry.summary}.`)
  for (const { name, description, required, variadic } of command.arguments ?? []) {
    const label = `${name}${variadic ? '...' : ''}`
    declared.argument(required ? `<${label}>` : `[${label}]`, description)
  }
  for (const { flags, description, hidden } of command.options ?? [])
    declared.addOption(new Option(flags, description).hideHelp(hidden ?? false))
  const title = command.examples.length === 1 ? 'Example' : 'Examples'
  return declared.addHelpText('after', `\n${title}:\n${shellLines(command.examples)}`)
}

function shellLines(lines: readonly string[]): string {
  return lines.map(line => `  $ ${line}`).join('\n')
}

/** Commander passes each argument, then the options, then itself. */
export function inputOf(command: AnyCommand, parameters: readonly unknown[]): Record<string, unknown> {
  const names = (command.arguments ?? []).map(argument => argument.name)
  const options = parameters[names.length] as Record<string, unknown>
  return { ...options, ...Object.fromEntries(names.map((name, index) => [name, parameters[index]])) }
}

function newCommander(name: string, context: Context): Commander {
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
      // main.ts prints usage errors, once and in the form of all other errors.
      writeErr: () => {},
      getOutHelpWidth: () => helpWidth(context),
      getOutHasColors: () => false,
    })
}

function helpWidth({ out }: Context): number {
  return Math.min(out.columns, helpColumns)
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
