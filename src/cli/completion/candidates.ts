import { flagNames, ownEntry, type ShortForms, withoutShortForm } from '../command.ts'

/** The data of one command that completion uses: everything in the registry except the code. */
export interface Leaf {
  summary: string
  arguments: readonly { name: string; variadic?: boolean }[]
  options: readonly FlagSpec[]
  completes?: Readonly<Record<string, string>>
}

interface FlagSpec {
  flags: string
  description: string
}

export interface KnownSetting {
  /** In `repos.*.model`, the star stands for any repo. */
  key: string
  description: string
  /** The values it accepts, if it accepts only certain ones. */
  values: readonly string[]
}

/**
 * All commands, topics and settings, as `npm run generate` writes them to a file: loading each command to learn its
 * options would make every press of Tab slow.
 */
export interface CommandTree {
  nouns: Record<string, { summary: string; verbs: Record<string, Leaf> }>
  topLevel: Record<string, Leaf>
  topics: Record<string, { summary: string }>
  settings: readonly KnownSetting[]
  shortForms: ShortForms
}

export interface Candidate {
  value: string
  description: string
}

/** `dirs` asks the shell to complete directories itself. */
export type Answer = readonly Candidate[] | 'dirs'

/**
 * Offers values for an argument or an option. `kind` is its name in the usage (`mission` in `--clone <mission>`), or
 * what the registry's `completes` gives for that name. `before` holds the arguments already typed.
 */
export type Values = (kind: string, before: readonly string[]) => Promise<Answer>

/** `words` is the line up to the cursor, without the program's name. The last word is the one being typed. */
export async function answer(tree: CommandTree, words: readonly string[], values: Values): Promise<Answer> {
  const joined = joinEquals(words)
  const [before, typed] = [withoutShortForm(tree.shortForms, joined.slice(0, -1)), joined.at(-1) ?? '']
  const found = await unfiltered(tree, before, typed, values)
  return typeof found === 'string' ? found : matching(found, words, typed)
}

async function unfiltered(
  tree: CommandTree,
  before: readonly string[],
  typed: string,
  values: Values,
): Promise<Answer> {
  const [first, second] = before
  if (first === undefined)
    return [
      ...named(tree.nouns),
      ...named(tree.topLevel),
      ...shortForms(tree),
      help,
      ...(typed.startsWith('-') ? globalFlags : []),
    ]
  if (first === 'help') return helpWords(tree, before.slice(1))
  const noun = ownEntry(tree.nouns, first)
  if (noun && second === undefined) return named(noun.verbs)
  const leaf = noun ? ownEntry(noun.verbs, second) : ownEntry(tree.topLevel, first)
  return leaf ? wordsOf(leaf, before.slice(noun ? 2 : 1), typed, values) : []
}

const help: Candidate = { value: 'help', description: 'Explain a command or a topic' }
const helpFlag: FlagSpec = { flags: '-h, --help', description: 'show help' }
const globalFlags: readonly Candidate[] = [
  { value: '--help', description: 'show help' },
  { value: '--version', description: 'print the version' },
]

function helpWords(tree: CommandTree, before: readonly string[]): Candidate[] {
  if (before.length === 0)
    return [...named(tree.nouns), ...named(tree.topLevel), ...shortForms(tree), ...named(tree.topics)]
  const noun = ownEntry(tree.nouns, before[0])
  return noun && before.length === 1 ? named(noun.verbs) : []
}

async function wordsOf(
  leaf: Leaf,
  before: readonly string[],
  typed: string,
  values: Values,
): Promise<Answer> {
  const line = readLine(leaf, before)
  const valuesOf = (name: string) => values(ownEntry(leaf.completes ?? {}, name) ?? name, line.positionals)
  if (line.open) return valuesOf(valueName(line.open))
  if (!line.isLiteral && typed.startsWith('-')) {
    const option = typed.includes('=') ? findOption(leaf, typed.split('=')[0]!) : null
    return option && takesValue(option) ? valuesOf(valueName(option)) : unusedOptions(leaf, line.used)
  }
  const last = leaf.arguments.at(-1)
  const argument = leaf.arguments[line.positionals.length] ?? (last?.variadic ? last : undefined)
  return argument ? valuesOf(argument.name) : []
}

function unusedOptions(leaf: Leaf, used: ReadonlySet<string>): Candidate[] {
  return [...leaf.options, helpFlag]
    .filter(option => !flagNames(option).some(name => used.has(name)))
    .map(option => ({ value: flagNames(option).at(-1)!, description: option.description }))
}

function shortForms(tree: CommandTree): Candidate[] {
  return Object.entries(tree.shortForms).map(([value, whole]) => {
    const [noun, verb] = whole.split(' ')
    return { value, description: tree.nouns[noun!]!.verbs[verb!]!.summary }
  })
}

function named(entries: Record<string, { summary: string }>): Candidate[] {
  return Object.entries(entries).map(([value, { summary }]) => ({ value, description: summary }))
}

/** Keeps candidates that begin with the typed word. Some shells see `--name=value` as one word and expect all of it. */
function matching(found: readonly Candidate[], words: readonly string[], typed: string): Candidate[] {
  const flag = /^--[^=]+=/.exec(typed)?.[0] ?? ''
  const value = typed.slice(flag.length)
  const isOneWord = words.at(-1) === typed
  return found
    .filter(candidate => candidate.value.startsWith(value))
    .map(candidate => (isOneWord ? { ...candidate, value: flag + candidate.value } : candidate))
}

interface Line {
  /** The arguments before the word being typed, without options and their values. */
  positionals: string[]
  used: ReadonlySet<string>
  /** The option whose value is being typed. */
  open: FlagSpec | null
  /** True after a `--`, where no word is an option. */
  isLiteral: boolean
}

function readLine(leaf: Leaf, words: readonly string[]): Line {
  const line = { positionals: [] as string[], used: new Set<string>(), isLiteral: false }
  let open: FlagSpec | null = null
  for (const word of words) {
    if (open) open = null
    else if (line.isLiteral || !/^-./.test(word)) line.positionals.push(word)
    else if (word === '--') line.isLiteral = true
    else {
      const option = findOption(leaf, word.split('=')[0]!)
      for (const name of option ? flagNames(option) : [word]) line.used.add(name)
      open = option && takesValue(option) && !word.includes('=') ? option : null
    }
  }
  return { ...line, open }
}

function findOption(leaf: Leaf, name: string): FlagSpec | null {
  return leaf.options.find(option => flagNames(option).includes(name)) ?? null
}

function takesValue({ flags }: FlagSpec): boolean {
  return flags.includes('<')
}

/** `--clone <mission>` takes a `mission`. */
function valueName({ flags }: FlagSpec): string {
  return /<(.*?)>/.exec(flags)?.[1] ?? ''
}

/** Joins words that bash has split: it passes `--name=x` as three words. */
function joinEquals(words: readonly string[]): string[] {
  const joined: string[] = []
  for (const word of words) {
    const before = joined.at(-1)
    if (word === '=' && before?.startsWith('--')) joined[joined.length - 1] = `${before}=`
    else if (/^--[^=]+=$/.test(before ?? '')) joined[joined.length - 1] = before + word
    else joined.push(word)
  }
  return joined
}
