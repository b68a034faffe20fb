import { Command as Commander, CommanderError, Option } from 'commander'
import type { Context } from '../context.ts'
import { usageError } from '../errors.ts'
import { meantWords } from '../io/nearest.ts'
import { version } from '../version.ts'
import {
  type AnyCommand,
  type Entry,
  type Noun,
  ownEntry,
  type Registry,
  runCommand,
  type ShortForms,
  withoutShortForm,
} from './command.ts'
import { shortFormList, topicList, topicNamed } from './help/topics.ts'

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
    await program.parseAsync(plainWords(registry, argv), { from: 'user' })
  } catch (error) {
    // Commander throws after it has printed help or the version.
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    throw error
  }
  return exitCode
}

/** Rewrites `help mission new` and `mission help new` to `mission new --help`, and replaces a short form. */
function plainWords(registry: Registry, argv: readonly string[]): readonly string[] {
  const position = ownEntry(registry.nouns, argv[0]) ? 1 : 0
  const typed = argv[position] === 'help' ? [...argv.toSpliced(position, 1), '--help'] : argv
  const words = withoutShortForm(registry.shortForms, typed)
  refuseVerbAlone(registry, words[0])
  // With --help, commander would print the general help for an unknown command instead of an error.
  return isUnknown(registry, words) ? words.filter(word => word !== '--help' && word !== '-h') : words
}

/** The general help does not show that `agenc wait` is `agenc mission wait`. */
function refuseVerbAlone({ nouns, topLevel }: Registry, word = '-'): void {
  if (ownEntry(topLevel, word) || ownEntry(nouns, word)) return
  const meant = Object.entries(nouns).flatMap(([noun, { verbs }]) => {
    const entry = ownEntry(verbs, word)
    return entry && !entry.hidden && !entry.destructive ? [`agenc ${noun} ${word}`] : []
  })
  if (meant.length > 0) throw usageError(`unknown command '${word}'`, `Did you mean ${meant.join(' or ')}?`)
}

function isUnknown({ nouns, topLevel }: Registry, [first = '-', second = '-']: readonly string[]): boolean {
  if (first.startsWith('-') || ownEntry(topLevel, first)) return false
  const noun = ownEntry(nouns, first)
  return !noun || (!second.startsWith('-') && !ownEntry(noun.verbs, second))
}

type Load = (declared: Commander, entry: Entry) => Promise<void>

function declareProgram(context: Context, registry: Registry, load: Load): Commander {
  const program = configured(new Commander('agenc'), context, registry.shortForms)
    .description(registry.description)
    .version(version, '-V, --version', 'print the version')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', () => `\nShort forms:\n${shortFormList(registry.shortForms)}`)
    .addHelpText('after', () => `\nTopics (agenc help <topic>):\n${topicList(helpWidth(context))}`)
    .addHelpText('after', `\nFirst steps:\n${shellLines(registry.firstSteps)}`)
  list(program, registry.nouns)
  list(program, registry.topLevel)
  return program.hook('preSubcommand', (_program, named) => {
    const noun = ownEntry(registry.nouns, named.name())
    if (!noun) return prepareVerb(named, registry.topLevel)
    configured(named, context, registry.shortForms)
      .description(`${noun.summary}.`)
      .helpCommand('help [command]', 'show help for a command')
      .hook('preSubcommand', (_group, verb) => prepareVerb(verb, noun.verbs))
    list(named, noun.verbs)
  })

  async function prepareVerb(named: Commander, verbs: Noun['verbs']): Promise<void> {
    const entry = ownEntry(verbs, named.name())
    if (entry) await load(configured(named, context, registry.shortForms), entry)
  }
}

/** Adds subcommands by name and summary, which is all that help needs. The one that is used is prepared later. */
function list(group: Commander, entries: Readonly<Record<string, Listed>>): void {
  for (const [name, { summary, hidden = false, destructive = false }] of Object.entries(entries)) {
    const command = new Commander(name).summary(summary)
    group.addCommand(command, { hidden })
    if (destructive) neverSuggested.add(command)
  }
}

type Listed = Pick<Entry, 'summary' | 'hidden' | 'destructive'>

/** The commands and options that lose work or end something. */
const neverSuggested = new WeakSet<Commander | Option>()

/** Turns a command's data into commander's declarations. The pages in docs/commands are made by it too. */
export function declareCommand(declared: Commander, command: AnyCommand, entry: Entry): Commander {
  declared.description(command.description ?? `${entry.summary}.`)
  for (const { name, description, required, variadic } of command.arguments ?? []) {
    const label = `${name}${variadic ? '...' : ''}`
    declared.argument(required ? `<${label}>` : `[${label}]`, description)
  }
  for (const { flags, description, hidden, destructive, repeats } of command.options ?? []) {
    const option = new Option(flags, description).hideHelp(hidden ?? false)
    if (repeats) option.argParser((value, before: string[] = []) => [...before, value])
    declared.addOption(option)
    if (destructive) neverSuggested.add(option)
  }
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

function configured(command: Commander, context: Context, shortForms: ShortForms): Commander {
  return (
    command
      .exitOverride(error => {
        throw error.exitCode === 0 ? error : usageErrorFrom(error, command, shortForms)
      })
      // usageErrorFrom has its own suggestions.
      .showSuggestionAfterError(false)
      .helpOption('-h, --help', 'show help')
      .helpCommand(false)
      .configureOutput({
        writeOut: text => context.out.write(text),
        // main.ts prints usage errors, once and in the form of all other errors.
        writeErr: () => {},
        getOutHelpWidth: () => helpWidth(context),
        getOutHasColors: () => false,
      })
  )
}

function helpWidth({ out }: Context): number {
  return Math.min(out.columns, helpColumns)
}

function usageErrorFrom(error: CommanderError, command: Commander, shortForms: ShortForms): Error {
  const help = `Run '${fullName(command)} --help'.`
  if (error.code === 'commander.help') return usageError(`'${fullName(command)}' needs a command`, help)
  const [message = error.message] = error.message.replace(/^error: /, '').split('\n')
  return usageError(message, suggestion(error, command, shortForms) ?? help)
}

/** What a mistyped word was probably meant to be, or null if that would be a guess, or could do harm. */
function suggestion(
  { code, message }: CommanderError,
  command: Commander,
  shortForms: ShortForms,
): string | null {
  const [, typed = ''] = /'(.*)'/.exec(message) ?? []
  const help = command.createHelp()
  const known = new Map<string, Commander | Option | null>()
  if (code === 'commander.unknownOption')
    for (const option of help.visibleOptions(command)) known.set(option.long ?? option.flags, option)
  if (code === 'commander.unknownCommand') {
    for (const verb of help.visibleCommands(command)) known.set(verb.name(), verb)
    if (command.parent === null) for (const name of Object.keys(shortForms)) known.set(name, null)
  }
  const meant = meantWords(typed, [...known.keys()])
  const mayHarm = meant.some(word => neverSuggested.has(known.get(word) ?? command))
  return meant.length === 0 || mayHarm ? null : `Did you mean ${meant.join(' or ')}?`
}

function fullName(command: Commander): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()
}
