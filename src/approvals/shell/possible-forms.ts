import { unknownText, unknownWord } from '../glob.ts'
import { declarations, shellState } from './carriers.ts'
import { concernsOf, programName } from './concerns.ts'
import { splitGit } from './git-command.ts'
import { runningSubcommands } from './git-options.ts'
import { generousTails, maxArguments, maxForms, squeeze, wordForms } from './normal-forms.ts'
import type { Concern, ShellWord, SimpleCommand } from './part.ts'

/** Options that name a place, not something to run. */
const placeOptions = /^(?:-[oOC]|--out(?:put(?:-\w+)?)?|--git-dir|--work-tree|--namespace)$/

/**
 * The texts that a command may turn out to be once the shell has filled in what is unknown. Words among its
 * arguments count only where the program runs what it is given there.
 */
export function possibleForms(command: SimpleCommand): string[] {
  const words = squeeze(command.words.map(item => item.possible).join(' ')).split(' ')
  const forms = new Set(wordForms(words, possibleTails))
  const runners = concernsOf({ ...command, assignments: [] }).filter(concern => isRunner(command, concern))
  if (runners.length > 0) {
    const args = words.slice(1, 1 + maxArguments)
    for (const at of args.keys()) for (const form of wordForms(args.slice(at), possibleTails)) forms.add(form)
    if (runners.some(concern => isGivenUnknown(command, concern))) forms.add(unknownText)
  }
  return [...forms].filter(form => form !== '').slice(0, maxForms)
}

function isRunner({ words }: SimpleCommand, { runs, word, names }: Concern): boolean {
  if (!runs || names.some(name => placeOptions.test(name))) return false
  const program = programName(words[0]?.value ?? '')
  if (program === 'git') return word.startsWith('-') || runningSubcommands.has(word)
  return runningBuiltins.has(program) || !isBuiltin(program)
}

/** What an option is told to run, what a builtin is given, or else the last word. */
function isGivenUnknown({ words }: SimpleCommand, { word }: Concern): boolean {
  if (!word.startsWith('-'))
    return (isBuiltin(words[0]!.value) ? words.slice(1) : words.slice(-1)).some(beginsUnknown)
  const value = words[words.findIndex(item => item.value === word) + 1]?.value ?? ''
  return (word + value).includes(unknownText)
}

function beginsUnknown({ possible }: ShellWord): boolean {
  return possible.startsWith(unknownText) || possible.startsWith(unknownWord)
}

const runningBuiltins = new Set('alias bind compgen complete mapfile readarray sched trap'.split(' '))

function isBuiltin(program: string): boolean {
  return /^(?:\.|source)$/.test(program) || shellState.has(program) || declarations.has(program)
}

/** Which options of git take a value is known, so that the directory in `git -C "$dir" log` is no subcommand. */
function possibleTails(program: string, rest: readonly string[]): string[][] {
  const { globals } = splitGit(rest)
  const isSure = programName(program) === 'git' && !globals.some(item => item.includes(unknownText))
  return isSure ? [[...rest], rest.slice(globals.length)] : generousTails(program, rest)
}
