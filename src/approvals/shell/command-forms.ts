import { unknownText, unknownWord } from '../glob.ts'
import { concernsOf, programName } from './concerns.ts'
import { isBuiltInSubcommand, runningSubcommands, splitGitWords } from './git-command.ts'
import { declarationBuiltins, setOf, stateBuiltins } from './known-programs.ts'
import { readScript } from './parse-script.ts'
import { baseName, type Concern, type ShellWord, type SimpleCommand } from './parts.ts'

const maxDepth = 4
const maxForms = 2000
const maxArguments = 60

/**
 * Lists the texts that deny and ask rules are compared with: the command as written, without quotes, without
 * assignments, with the program's bare name, without options before the subcommand, and any command that the program
 * may be told to run. The list is long on purpose, since one matching text is enough to deny.
 */
export function normalForms(command: SimpleCommand, depth = 0): string[] {
  const forms = new Set([collapseSpaces(command.text)])
  const assigned = command.assignments.map(item => item.resolved)
  for (const words of [command.words.map(item => item.value), command.words.map(item => item.resolved)]) {
    forms.add(collapseSpaces([...assigned, ...words].join(' ')))
    for (const form of wordForms(collapseSpaces(words.join(' ')).split(' '))) forms.add(form)
  }
  if (depth < maxDepth) for (const form of formsInside(command, depth)) forms.add(form)
  return [...forms].filter(form => form !== '').slice(0, maxForms)
}

/**
 * Lists the texts that a command may turn out to be once the shell has filled in the unknown values. Its arguments
 * count as commands only if the program runs them.
 */
export function possibleForms(command: SimpleCommand): string[] {
  const words = collapseSpaces(command.words.map(item => item.possible).join(' ')).split(' ')
  const forms = new Set(wordForms(words, possibleArgumentLists))
  const runners = concernsOf({ ...command, assignments: [] }).filter(concern => isRunner(command, concern))
  if (runners.length > 0) {
    const args = words.slice(1, 1 + maxArguments)
    for (const at of args.keys())
      for (const form of wordForms(args.slice(at), possibleArgumentLists)) forms.add(form)
    if (runners.some(concern => runsUnknown(command, concern))) forms.add(unknownText)
  }
  return [...forms].filter(form => form !== '').slice(0, maxForms)
}

function collapseSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Returns the arguments of a command, whole and without options in front of its subcommand. */
type ArgumentLists = (program: string, args: readonly string[]) => string[][]

/** Combines each name of the program with each list of arguments. */
function wordForms(words: readonly string[], argumentListsOf: ArgumentLists = allArgumentLists): string[] {
  const [program, ...args] = words
  if (!program) return []
  const bare = baseName(program)
  const dashed = /^git-(.+)$/.exec(bare)
  const names = new Set([program, bare, bare.toLowerCase(), ...(dashed ? [`git ${dashed[1]}`] : [])])
  const lists = argumentListsOf(program, args)
  if (mayBeGitAlias(words)) lists.push([unknownText])
  return [...names].flatMap(name => (args.length ? lists.map(list => [name, ...list].join(' ')) : [name]))
}

/** Drops one more leading option each time, as any of them may take a value. */
function allArgumentLists(_program: string, args: readonly string[]): string[][] {
  const leading = countLeadingOptions(args)
  return args.flatMap((_, at) => (at <= leading && leading - at < maxArguments ? [args.slice(at)] : []))
}

/** The options of git that take a value are known, so the directory in `git -C "$dir" log` is not read as a subcommand. */
function possibleArgumentLists(program: string, args: readonly string[]): string[][] {
  const { globalOptions } = splitGitWords(args)
  const isCertain = programName(program) === 'git' && !globalOptions.some(item => item.includes(unknownText))
  return isCertain ? [[...args], args.slice(globalOptions.length)] : allArgumentLists(program, args)
}

/** Counts the words before the subcommand, where each option may have the next word as its value. */
function countLeadingOptions(words: readonly string[]): number {
  const isOption = (item = '') => /^[-+]/.test(item)
  const end = words.findIndex((item, at) => !isOption(item) && !isOption(words[at - 1]))
  return end < 0 ? words.length : end
}

function mayBeGitAlias([program = '', ...rest]: readonly string[]): boolean {
  const { subcommand } = splitGitWords(rest)
  return programName(program) === 'git' && subcommand !== undefined && !isBuiltInSubcommand(subcommand)
}

/** The forms of commands inside assignments, and inside arguments of programs that run others. */
function formsInside(command: SimpleCommand, depth: number): string[] {
  const texts = command.assignments.map(item => afterEquals(item.resolved))
  const runsOthers = concernsOf({ ...command, assignments: [] }).some(concern => concern.runsOthers)
  const args = runsOthers ? command.words.slice(1, 1 + maxArguments).map(item => item.resolved) : []
  for (const arg of args) texts.push(arg, afterEquals(arg))
  return [
    ...texts.filter(text => /\s/.test(text)).flatMap(text => scriptForms(text, depth)),
    ...args.flatMap((_, at) => wordForms(args.slice(at))),
  ]
}

/** Also drops the `!` with which git marks an alias that is a shell command. */
function afterEquals(text: string): string {
  return text.slice(text.indexOf('=') + 1).replace(/^!/, '')
}

function scriptForms(text: string, depth: number): string[] {
  return readScript(text).flatMap(part => (part.kind === 'command' ? normalForms(part, depth + 1) : []))
}

/** Options that name a place to write to or work in, and nothing to run. */
const placeOptions = /^(?:-[oOC]|--out(?:put(?:-\w+)?)?|--git-dir|--work-tree|--namespace)$/

function isRunner({ words }: SimpleCommand, { runsOthers, word, names }: Concern): boolean {
  if (!runsOthers || names.some(name => placeOptions.test(name))) return false
  const program = programName(words[0]?.value ?? '')
  if (program === 'git') return word.startsWith('-') || runningSubcommands.has(word)
  return runningBuiltins.has(program) || !isBuiltin(program)
}

/** True if the command to run is unknown: the value of an option, an argument of a builtin, or else the last word. */
function runsUnknown({ words }: SimpleCommand, { word }: Concern): boolean {
  if (!word.startsWith('-'))
    return (isBuiltin(words[0]!.value) ? words.slice(1) : words.slice(-1)).some(startsUnknown)
  const value = words[words.findIndex(item => item.value === word) + 1]?.value ?? ''
  return (word + value).includes(unknownText)
}

function startsUnknown({ possible }: ShellWord): boolean {
  return possible.startsWith(unknownText) || possible.startsWith(unknownWord)
}

const runningBuiltins = setOf('alias bind compgen complete mapfile readarray sched trap')

function isBuiltin(program: string): boolean {
  return /^(?:\.|source)$/.test(program) || stateBuiltins.has(program) || declarationBuiltins.has(program)
}
