import { applyRules, noRuleMatches, type ToolNames } from './apply-rules.ts'
import { decidePath, protectedName } from './decide-file.ts'
import { couldMatch, innerSpace, isLiteral, matches, unknownText } from './glob.ts'
import type { ExplainedVerdict, Situation } from './rule.ts'
import {
  guardedArguments,
  guardedPath,
  guardedProgram,
  guardedText,
  pathsIn,
  placesFrom,
  type Reach,
  reachOf,
} from './self-defence.ts'
import { harmIn, knownProgram, writesFiles } from './shell/known-programs.ts'
import { readLoosely } from './shell/loose-script.ts'
import { proveScript } from './shell/prove-script.ts'
import { isLiteralWord, literalWord, type ShellCommand, type ShellWord } from './shell/shell-command.ts'
import { type Suspect, suspectOf } from './shell/suspects.ts'
import {
  mayContain,
  runsUnknownCopy,
  spellsOptions,
  suspiciousText,
  textOf,
} from './shell/suspicious-text.ts'
import { toolNames } from './tool-input.ts'
import {
  type Directories,
  directoriesAfter,
  directoriesOf,
  isInsideMission,
  whyWrongDirectory,
} from './working-directories.ts'

interface CommandInPlace {
  situation: Situation
  command: ShellCommand
  suspect: Suspect
  directories: Directories
  /** Where a trap or a background job may run. */
  lastDirectories: Directories
  reach: Reach
  /** Why it is not proven what the shell will run; null if it is. */
  doubt: string | null
}

/** A limit, because a mission waits while its rules are checked. */
const maxCommands = 300

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
  const isProven = 'commands' in proof
  const { commands, doubt } = isProven ? { ...proof, doubt: null } : readLoosely(source)
  if (commands.length > maxCommands) throw new Error('there are too many commands to check')
  const suspects = commands.map(suspectOf)
  const directories = directoriesOf(situation.request.cwd, commands)
  const reach = reachOf(situation, source, commands)
  const verdicts = commands.flatMap((command, at) => {
    const place = {
      suspect: suspects[at]!,
      directories: directories[at]!,
      lastDirectories: directories.at(-1)!,
      reach,
    }
    const inPlace = { situation, command, ...place, doubt: isProven ? null : proof.doubt }
    const isEmpty = command.words.length + command.assignments.length === 0
    return [...(isEmpty ? [] : [decideOne(inPlace, tools)]), ...decideFiles(inPlace)]
  })
  const text = suspiciousText(source, isProven, suspects)
  const reason = isProven ? null : (doubt ?? guardedText(situation, text))
  const isUnknownCopy = runsUnknownCopy(commands)
  const whole = applyRules(isProven ? { ...situation, mode: 'all' } : situation, tools, {
    text: source,
    matchesLoosely: pattern =>
      !isProven &&
      globsOf(situation, pattern).some(glob => matches(glob, source.replace(/\s+/g, ' ').trim())),
    mightMatch: pattern => isUnknownCopy || mayContain(text, pattern),
    whyNotCovered: () => noRuleMatches,
    guard: reason === null ? null : { reason, isNamedBy: () => false },
  })
  return isProven && whole.decision === 'allow' ? verdicts : [...verdicts, whole]
}

/** Replaces `{dir}` by the mission's directory, once as given and once with links resolved. */
function globsOf({ request, resolvePath }: Situation, pattern: string): string[] {
  if (!pattern.includes('{dir}')) return [pattern]
  const dirs = new Set([request.dir, resolvePath(request.dir)])
  return [...dirs].map(dir => pattern.replaceAll('{dir}', () => dir.replace(/[\\*?]/g, '\\$&')))
}

function decideOne(inPlace: CommandInPlace, tools: ToolNames): ExplainedVerdict {
  const { situation, command } = inPlace
  const { forms } = inPlace.suspect
  const reason = guardOf(inPlace)
  const isNamedBy = (pattern: string) => isLiteral(pattern) && whyNotCovered(inPlace, pattern) === null
  return applyRules(situation, tools, {
    text: command.text.replaceAll(unknownText, '…'),
    matchesLoosely: pattern =>
      globsOf(situation, pattern).some(glob => forms.some(form => matches(glob, form))),
    mightMatch: pattern =>
      spellsOptions(command, pattern) ||
      globsOf(situation, pattern).some(glob => forms.some(form => couldMatch(glob, form))),
    whyNotCovered: pattern => whyNotCovered(inPlace, pattern),
    guard: reason === null ? null : { reason, isNamedBy },
    needsNoRule: staysInMission(inPlace) ? "it stays in the mission's directory" : null,
  })
}

/** `cd` does nothing by itself. */
function staysInMission({ situation, command, directories, doubt }: CommandInPlace): boolean {
  const { words, assignments } = command
  const isPlain = doubt === null && words[0]?.value === 'cd' && words.length === 2 && assignments.length === 0
  if (!isPlain || harmIn(words) !== null) return false
  return directoriesAfter(command, directories).every(directory => isInsideMission(situation, directory))
}

/** Why a command is asked in every mode; null if it is not. */
function guardOf({ situation, command, suspect, directories, reach }: CommandInPlace): string | null {
  const { unreadable, isHarmless, pieces } = suspect
  if (unreadable !== null) return unreadable
  if (isHarmless && !writesFiles(command.words)) return null
  const words = [...command.words, ...pieces.map(literalWord)]
  return (
    guardedProgram(command.words) ??
    guardedProgram(pieces.map(literalWord)) ??
    guardedArguments(situation, words, directories, reach) ??
    (isHarmless ? null : guardedText(situation, textOf(command)))
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
  let at = 1
  while (/^-(?:[0rt]|-null|-no-run-if-empty|[nPLI](?:\d+|\{\})?)$/.test(values[at] ?? '')) {
    const takesNext = /^-[nPLI]$/.test(values[at]!)
    if (takesNext && !/^(?:\d+|\{\})$/.test(values[at + 1] ?? '')) return null
    at += takesNext ? 2 : 1
  }
  return knownProgram(values[at] ?? '')?.inert ? words.slice(at) : null
}

/** True if every argument that can be a path leads into the mission's directory, from each possible directory. */
function staysInside(inPlace: CommandInPlace): boolean {
  const { situation, command, directories } = inPlace
  const places = placesOf(inPlace)
  const isCertain = command.words.every(isLiteralWord) && !directories.includes(null)
  return isCertain && places?.every(place => isInsideMission(situation, place)) === true
}

function changesProtectedFile(inPlace: CommandInPlace): string | null {
  if (!writesFiles(inPlace.command.words)) return null
  const places = placesOf(inPlace)
  if (places === null) return 'it has too many arguments to check'
  const name = protectedName(inPlace.situation, places)
  return name === null ? null : `writing to ${name} can make other programs run commands`
}

/** Every place that an argument may name; null if there are too many. */
function placesOf({ situation, command, directories }: CommandInPlace): string[] | null {
  const paths = pathsIn(command.words.slice(1))
  return (
    paths && directories.flatMap(directory => paths.flatMap(path => placesFrom(situation, directory, path)))
  )
}

function decideFiles(inPlace: CommandInPlace): ExplainedVerdict[] {
  const { command, suspect } = inPlace
  const situation: Situation = { ...inPlace.situation, mode: 'all' }
  const anywhere = { ...inPlace, situation, directories: inPlace.lastDirectories }
  const texts = suspect.isHarmless ? [] : command.words.map(word => word.value)
  const hidden = texts.flatMap(text => [...text.matchAll(/>[|!&]?\s*["']?([^\s;&|<>()"']+)/g)])
  return [
    ...command.writes.map(target => decideRedirection(inPlace, 'Write', target)),
    ...command.reads.map(target => decideRedirection(inPlace, 'Read', target)),
    ...hidden
      .map(found => decideRedirection(anywhere, 'Write', literalWord(found[1]!)))
      .filter(verdict => verdict.decision !== 'allow'),
  ]
}

/** Writing to a file needs the same permission as Write. Reading from one is treated as Read, but needs no rule. */
function decideRedirection(
  { situation, directories, reach, doubt }: CommandInPlace,
  tool: 'Read' | 'Write',
  target: ShellWord,
): ExplainedVerdict {
  const verdicts = directories.map(directory => {
    const here = { ...situation, request: { ...situation.request, cwd: directory ?? situation.request.cwd } }
    const isCertain = isLiteralWord(target) && (directory !== null || /^[/~]/.test(target.value))
    const guarded =
      tool === 'Write' && !isCertain ? guardedPath(situation, target.value, directory, reach) : null
    return decidePath(here, toolNames(tool), isCertain ? target.value : null, {
      text: `${tool === 'Read' ? '<' : '>'} ${target.value.replaceAll(unknownText, '…')}`,
      guard: guarded === null ? null : { reason: guarded, isNamedBy: () => false },
      needsNoRule: tool === 'Read' && isCertain && doubt === null ? 'it only reads' : null,
    })
  })
  const strictest = (decision: string) => verdicts.find(verdict => verdict.decision === decision)
  return strictest('deny') ?? strictest('ask') ?? verdicts[0]!
}
