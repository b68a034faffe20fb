import type { Answer, Candidate, Leaf, Tree } from './command-tree.ts'
import { nothing } from './command-tree.ts'
import { findOption, joinEquals, namesOf, readLine, takesValue, valueName } from './parse-line.ts'

/** What the words of a command line may go on with: `kind` is an argument's name or an option's `<value>`. */
export type Values = (kind: string, command: string, before: readonly string[]) => Promise<Answer>

/** `words` is the line without the program's name, up to the cursor; the last one is being typed. */
export async function answer(tree: Tree, words: readonly string[], values: Values): Promise<Answer> {
  const joined = joinEquals(words)
  const [before, typed] = [joined.slice(0, -1), joined.at(-1) ?? '']
  const found = await everything(tree, before, typed, values)
  return typeof found === 'string' ? found : asTyped(found, words, typed)
}

async function everything(
  tree: Tree,
  before: readonly string[],
  typed: string,
  values: Values,
): Promise<Answer> {
  const [first, second] = before
  if (first === undefined) return [...named(tree.nouns), ...named(tree.topLevel), help, version(typed)].flat()
  if (first === 'help') return helped(tree, before.slice(1))
  const noun = own(tree.nouns, first)
  if (noun && second === undefined) return named(noun.verbs)
  const leaf = noun ? own(noun.verbs, second!) : own(tree.topLevel, first)
  if (!leaf) return nothing
  const command = noun ? `${first} ${second}` : first
  return ofCommand(leaf, command, before.slice(noun ? 2 : 1), typed, values)
}

const help: Candidate = { value: 'help', description: 'Explain a command or a topic' }

function version(typed: string): Candidate[] {
  return typed.startsWith('-')
    ? [
        { value: '--help', description: 'show help' },
        { value: '--version', description: 'print the version' },
      ]
    : []
}

function helped(tree: Tree, before: readonly string[]): Answer {
  if (before.length === 0) return [...named(tree.nouns), ...named(tree.topLevel), ...named(tree.topics)]
  const noun = own(tree.nouns, before[0]!)
  return noun && before.length === 1 ? named(noun.verbs) : nothing
}

async function ofCommand(
  spec: Leaf,
  command: string,
  before: readonly string[],
  typed: string,
  values: Values,
): Promise<Answer> {
  const line = readLine(spec, before)
  if (line.open) return values(valueName(line.open), command, line.positionals)
  if (!line.isLiteral && typed.startsWith('-')) {
    const option = typed.includes('=') ? findOption(spec, typed.split('=')[0]!) : null
    if (option && takesValue(option)) return values(valueName(option), command, line.positionals)
    return optionsOf(spec, line.used)
  }
  const specs = spec.arguments
  const last = specs.at(-1)
  const argument = specs[line.positionals.length] ?? (last?.variadic ? last : undefined)
  return argument ? values(argument.name, command, line.positionals) : nothing
}

function optionsOf(spec: Leaf, used: ReadonlySet<string>): Candidate[] {
  return [...spec.options, { flags: '-h, --help', description: 'show help' }]
    .filter(option => !namesOf(option).some(name => used.has(name)))
    .map(option => ({ value: namesOf(option).at(-1)!, description: option.description }))
}

function named(entries: Record<string, { summary: string }>): Candidate[] {
  return Object.entries(entries).map(([value, { summary }]) => ({ value, description: summary }))
}

function own<T>(entries: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined
}

/** Only what begins as the typed word does; with the `--name=` before it where the shell sees one word. */
function asTyped(found: readonly Candidate[], words: readonly string[], typed: string): Candidate[] {
  const equals = /^--[^=]+=/.exec(typed)?.[0] ?? ''
  const value = typed.slice(equals.length)
  const isOneWord = words.at(-1) === typed
  return found
    .filter(candidate => candidate.value.startsWith(value))
    .map(candidate => (isOneWord ? { ...candidate, value: equals + candidate.value } : candidate))
}
