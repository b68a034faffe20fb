import { applyRules, noRuleMatches, type Subject, type ToolNames } from './apply-rules.ts'
import { decidePath, protectedName } from './decide-file.ts'
import { couldMatch, innerSpace, isLiteral, matches, unknownText } from './glob.ts'
import type { ExplainedVerdict, Situation } from './rule.ts'
import {
  guardedPlace,
  guardedProgram,
  guardedText,
  holdsGuarded,
  pathsIn,
  placesFrom,
} from './self-defence.ts'
import { harmIn, knownProgram } from './shell/known-programs.ts'
import { type LooseScript, readLoosely } from './shell/loose-script.ts'
import { proveScript } from './shell/prove-script.ts'
import { isLiteralWord, type ShellCommand, type ShellWord } from './shell/shell-command.ts'
import { isKnownHarmless, type Suspect, suspectsOf, withoutQuotes } from './shell/suspects.ts'
import { mayContain } from './shell/suspicious-text.ts'
import { toolNames } from './tool-input.ts'
import { type Directories, directoriesOf, whyWrongDirectory } from './working-directories.ts'

interface CommandInPlace {
  situation: Situation
  command: ShellCommand
  /** The command itself, then the commands that may be hidden in its arguments. */
  suspects: readonly Suspect[]
  directories: Directories
  /** Where the hidden commands may run. */
  hiddenDirectories: Directories
  /** Why it is not proven what the shell will run; null if it is. */
  doubt: string | null
}

/**
 * Decides about a command line. Allow rules need a proof of what the shell will run. Deny and ask rules need only a
 * suspicion, so they also look at everything that a parser finds in a script without such a proof.
 */
export function decideCommandLine(
  situation: Situation,
  source: string,
  tools: ToolNames,
): ExplainedVerdict[] {
  const proof = proveScript(source)
  const doubt = 'doubt' in proof ? proof.doubt : null
  const loose = 'doubt' in proof ? readLoosely(source) : null
  const commands = 'doubt' in proof ? loose!.commands : proof.commands
  const { cwd } = situation.request
  const { each } = directoriesOf(cwd, commands)
  const suspects = commands.map(command => suspectsOf(command))
  const hiddenDirectories = directoriesOf(
    cwd,
    suspects.flat().map(({ command }) => command),
  ).all
  const verdicts = commands.flatMap((command, at) => {
    const directories = each[at]!
    const inPlace = { situation, command, suspects: suspects[at]!, directories, hiddenDirectories, doubt }
    const isEmpty = command.words.length + command.assignments.length === 0
    return [...(isEmpty ? [] : [decideOne(inPlace, tools)]), ...decideFiles(inPlace)]
  })
  return loose ? [...verdicts, applyRules(situation, tools, wholeScript(situation, source, loose))] : verdicts
}

/** A script that is not proven, without the commands in it that are known to be harmless. */
function wholeScript(situation: Situation, source: string, loose: LooseScript): Subject {
  const text = source.replace(/\s+/g, ' ').trim()
  const rest = withoutQuotes(
    loose.textWithout(
      ({ words, writes, hasPlainWords }) => hasPlainWords && writes.length === 0 && isKnownHarmless(words),
    ),
  )
  const reason = loose.doubt ?? guardedText(situation, rest)
  return {
    text: source,
    matchesLoosely: pattern => globsOf(situation, pattern).some(glob => matches(glob, text)),
    mightMatch: pattern => mayContain(rest, pattern),
    whyNotCovered: () => noRuleMatches,
    guard: reason === null ? null : { reason, isNamedBy: () => false },
  }
}

/** Replaces `{dir}` by the mission's directory, once as given and once with links resolved. */
function globsOf({ request, resolvePath }: Situation, pattern: string): string[] {
  if (!pattern.includes('{dir}')) return [pattern]
  const dirs = new Set([request.dir, resolvePath(request.dir)])
  return [...dirs].map(dir => pattern.replaceAll('{dir}', () => dir.replace(/[\\*?]/g, '\\$&')))
}

function decideOne(inPlace: CommandInPlace, tools: ToolNames): ExplainedVerdict {
  const { situation, command, suspects } = inPlace
  const forms = suspects.flatMap(suspect => suspect.forms)
  const possible = suspects.flatMap(suspect => suspect.possible)
  const evidence = suspects.map(suspect => suspect.evidence).join(' ')
  const reason = suspects.reduce<string | null>((found, suspect) => found ?? guardOf(inPlace, suspect), null)
  const isNamedBy = (pattern: string) => isLiteral(pattern) && whyNotCovered(inPlace, pattern) === null
  return applyRules(situation, tools, {
    text: command.text.replaceAll(unknownText, '…'),
    matchesLoosely: pattern =>
      globsOf(situation, pattern).some(glob => forms.some(form => matches(glob, form))),
    mightMatch: pattern =>
      mayContain(evidence, pattern, command) ||
      globsOf(situation, pattern).some(glob => possible.some(form => couldMatch(glob, form))),
    whyNotCovered: pattern => whyNotCovered(inPlace, pattern),
    guard: reason === null ? null : { reason, isNamedBy },
  })
}

/** Why a command that may run is asked in every mode; null if it is not. */
function guardOf(
  inPlace: CommandInPlace,
  { command, unreadable, isHarmless, evidence }: Suspect,
): string | null {
  const { situation, directories, hiddenDirectories } = inPlace
  const { words } = command
  if (unreadable !== null) return unreadable
  if (isHarmless && !knownProgram(words[0]?.value ?? '')?.writes) return null
  const places = placesOf(situation, words, command === inPlace.command ? directories : hiddenDirectories)
  if (places === null) return 'it has too many arguments to check'
  return (
    guardedProgram(words) ??
    guardedPlace(situation, places) ??
    holdsGuarded(situation, places) ??
    guardedText(situation, evidence)
  )
}

/** Every place that an argument may name; null if there are too many. */
function placesOf(
  situation: Situation,
  words: readonly ShellWord[],
  directories: Directories,
): string[] | null {
  const paths = pathsIn(words.slice(1))
  return (
    paths && directories.flatMap(directory => paths.flatMap(path => placesFrom(situation, directory, path)))
  )
}

function whyNotCovered(inPlace: CommandInPlace, pattern: string): string | null {
  const inner = withoutLauncher(inPlace.command.words)
  const reason = whyWordsNotCovered(inPlace, inPlace.command.words, pattern)
  return reason === null || inner === null ? reason : whyWordsNotCovered(inPlace, inner, pattern)
}

function whyWordsNotCovered(
  inPlace: CommandInPlace,
  words: readonly ShellWord[],
  pattern: string,
): string | null {
  const { situation, command, directories, doubt } = inPlace
  if (doubt !== null) return doubt
  const globs = globsOf(situation, pattern)
  if (!globs.some(glob => matchesStrictly(glob, command.assignments, words))) return noRuleMatches
  const wrongDirectory = whyWrongDirectory(situation, words, directories)
  if (wrongDirectory) return wrongDirectory
  if (pattern.includes('{dir}') && !staysInside(inPlace)) return "it reaches outside the mission's directory"
  const harm = harmIn(words)
  if (harm === null) return isLiteral(pattern) ? null : changesProtectedFile(inPlace)
  if (!isLiteral(pattern)) return harm
  return command.input === 'none' ? null : `${words[0]!.value} might run its input`
}

/** The text that allow rules are compared with: one space between words, and `innerSpace` inside them. */
function matchesStrictly(
  glob: string,
  assignments: readonly ShellWord[],
  words: readonly ShellWord[],
): boolean {
  const text = [...assignments, ...words].map(word => word.value.replace(/\s/g, innerSpace)).join(' ')
  if (!matches(glob, text)) return false
  return isLiteral(glob) || (assignments.length === 0 && namesProgram(glob, words[0]!.value))
}

/** `ls*` and `ls *` are about the program `ls`, never about `lsof` or `ls/evil`. Only a bare `*` is about any program. */
function namesProgram(glob: string, program: string): boolean {
  const [first = ''] = glob.trim().split(/\s/, 1)
  return first === '*' || (program === first.replace(/\*+$/, '') && isLiteral(program))
}

const timeLimit = /^\d+(?:\.\d+)?[smhd]?$/

/** Returns the command that `timeout 30`, `nohup` or `xargs` runs, if the launcher adds nothing that matters. */
function withoutLauncher(words: readonly ShellWord[]): readonly ShellWord[] | null {
  const values = words.map(word => (isLiteralWord(word) ? word.value : unknownText))
  const [program, first = ''] = values
  if (program === 'timeout' && timeLimit.test(first) && words.length > 2) return words.slice(2)
  if (program === 'nohup' && words.length > 1 && !first.startsWith('-')) return words.slice(1)
  if (program !== 'xargs') return null
  const options = /^(?: (?:-0|-r|-t|--null|--no-run-if-empty|-n ?\d+|-P ?\d+|-L ?\d+|-I ?\{\}))*(?= )/.exec(
    ` ${values.slice(1).join(' ')}`,
  )?.[0]
  const inner = words.slice(1 + (options?.trim().split(/\s+/).filter(Boolean).length ?? 0))
  return knownProgram(inner[0]?.value ?? '')?.inert ? inner : null
}

/** True if every argument that can be a path leads into the mission's directory, from each possible directory. */
function staysInside({ situation, command, directories }: CommandInPlace): boolean {
  const root = situation.resolvePath(situation.request.dir)
  const args = command.words.slice(1)
  const paths = pathsIn(args)
  if (paths === null || !args.every(isLiteralWord)) return false
  return directories.every(directory =>
    paths.every(path => {
      const [, ...real] = placesFrom(situation, directory, path)
      return real.length > 0 && real.every(place => place === root || place.startsWith(`${root}/`))
    }),
  )
}

function changesProtectedFile({ situation, command, directories }: CommandInPlace): string | null {
  if (!knownProgram(command.words[0]!.value)?.writes) return null
  const name = protectedName(situation, placesOf(situation, command.words, directories) ?? [])
  return name === null ? null : `writing to ${name} can make other programs run commands`
}

function decideFiles(inPlace: CommandInPlace): ExplainedVerdict[] {
  const { command, suspects, hiddenDirectories } = inPlace
  const situation: Situation = { ...inPlace.situation, mode: 'all' }
  const hidden = suspects
    .filter(suspect => suspect.command !== command)
    .flatMap(suspect => suspect.command.writes)
  return [
    ...command.writes.map(target => decideRedirection(inPlace, 'Write', target)),
    ...command.reads.map(target => decideRedirection(inPlace, 'Read', target)),
    ...hidden
      .map(target =>
        decideRedirection({ ...inPlace, situation, directories: hiddenDirectories }, 'Write', target),
      )
      .filter(verdict => verdict.decision !== 'allow'),
  ]
}

/** Writing to a file needs the same permission as Write. Reading from one is treated as Read, but needs no rule. */
function decideRedirection(
  { situation, directories, doubt }: CommandInPlace,
  tool: 'Read' | 'Write',
  { value, fixed, resolved }: ShellWord,
): ExplainedVerdict {
  const path = isLiteralWord({ value, fixed, resolved, possible: value }) ? value : null
  const verdicts = directories.map(directory => {
    const cwd = directory ?? situation.request.cwd
    const isCertain = path !== null && (directory !== null || /^[/~]/.test(path))
    const here = { ...situation, request: { ...situation.request, cwd } }
    const text = `${tool === 'Read' ? '<' : '>'} ${value.replaceAll(unknownText, '…')}`
    const verdict = decidePath(here, toolNames(tool), isCertain ? path : null, text)
    const needsNoRule = tool === 'Read' && verdict.decision === 'ask' && verdict.rule === null
    return needsNoRule && situation.mode !== 'ask' && isCertain && doubt === null
      ? { ...verdict, decision: 'allow' as const, reason: 'it only reads' }
      : verdict
  })
  const strictest = (decision: string) => verdicts.find(verdict => verdict.decision === decision)
  return strictest('deny') ?? strictest('ask') ?? verdicts[0]!
}
