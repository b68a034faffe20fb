import { isAbsolute, resolve } from 'node:path'
import { applyRules, isForTool, noRuleMatches, uncertainReason } from './apply-rules.ts'
import { decidePath } from './decide-file.ts'
import { couldMatch, innerSpace, isLiteral, literalPrefix, matches } from './glob.ts'
import type { ExplainedVerdict, Rule, Situation } from './rule.ts'
import { normalForms, possibleForms } from './shell/command-forms.ts'
import { concernsOf } from './shell/concerns.ts'
import {
  allowText,
  type Concern,
  type FileUse,
  isKnown,
  type Opaque,
  type ShellWord,
  type SimpleCommand,
} from './shell/parts.ts'
import { readCommandLine } from './shell/unwrap.ts'
import { inputText } from './tool-input.ts'
import { type Directories, directoryConcerns, withDirectories } from './working-directories.ts'

/** Control characters, unusual spaces and invisible marks. They make a command look different from what it runs. */
const deceptive = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|(?! )\p{Z}|\p{Cf}|\p{Co}|\p{Cs}/u

/** Decides about every part of a shell command. The command is allowed only if each part is. */
export function decideBash(situation: Situation): ExplainedVerdict[] {
  const command = inputText(situation.request.input, 'command') ?? ''
  const parts = [...readCommandLine(command), ...wholeCommandDoubts(command, situation.request.input)]
  return withDirectories(situation, parts).map(({ part, directories }) => {
    if (part.kind === 'command') return decideCommand(situation, part, directories)
    if (part.kind === 'opaque') return decideOpaque(situation, part)
    return decideRedirection(situation, part, directories)
  })
}

function wholeCommandDoubts(command: string, input: unknown): Opaque[] {
  const reasons: string[] = []
  if (command.trim() === '') reasons.push('the command is empty')
  if (deceptive.test(command)) reasons.push('it contains invisible characters')
  const unsandboxed = (input as { dangerouslyDisableSandbox?: unknown } | null)?.dangerouslyDisableSandbox
  if (unsandboxed) reasons.push('it would run outside the sandbox')
  return reasons.map(reason => ({ kind: 'opaque', text: command, reason }))
}

/** Replaces `{dir}` by the mission's directory, once as given and once with links resolved. */
function globsOf({ request, resolvePath }: Situation, pattern: string): string[] {
  if (!pattern.includes('{dir}')) return [pattern]
  const dirs = new Set([request.dir, resolvePath(request.dir)])
  return [...dirs].map(dir => pattern.replaceAll('{dir}', () => dir.replace(/[\\*?]/g, '\\$&')))
}

function decideCommand(
  situation: Situation,
  command: SimpleCommand,
  directories: Directories,
): ExplainedVerdict {
  const forms = normalForms(command)
  const possible = possibleForms(command)
  const concerns = [...concernsOf(command), ...directoryConcerns(situation, command, directories)]
  return applyRules(situation, 'Bash', {
    text: command.text,
    needsNoRule: command.transparent === true,
    matchesLoosely: pattern =>
      globsOf(situation, pattern).some(glob => forms.some(form => matches(glob, form))),
    mightMatch: pattern =>
      globsOf(situation, pattern).some(glob => possible.some(form => couldMatch(glob, form))),
    whyNotCovered: pattern => whyNotCovered({ situation, command, directories, concerns }, pattern),
  })
}

interface CommandInPlace {
  situation: Situation
  command: SimpleCommand
  directories: Directories
  concerns: readonly Concern[]
}

function whyNotCovered(inPlace: CommandInPlace, pattern: string): string | null {
  const glob = globsOf(inPlace.situation, pattern).find(candidate =>
    matchesStrictly(candidate, inPlace.command),
  )
  if (glob === undefined) return noRuleMatches
  if (pattern.includes('{dir}') && !staysInside(inPlace)) return "it reaches outside the mission's directory"
  return firstUnnamed(inPlace.concerns, glob)?.reason ?? null
}

function matchesStrictly(glob: string, command: SimpleCommand): boolean {
  const assigned = command.assignments.map(item => item.value.replace(/\s/g, innerSpace))
  if (matches(glob, [...assigned, allowText(command.words)].join(' '))) return true
  const { outer } = command
  return outer !== undefined && matches(glob, outer.text) && literalPrefix(glob).length >= outer.prefixLength
}

/** Returns the first concern that the pattern does not name. Each word of the pattern names at most one concern. */
function firstUnnamed(concerns: readonly Concern[], glob: string): Concern | undefined {
  const unavoidable = concerns.find(concern => concern.alwaysAsk)
  if (unavoidable || isLiteral(glob)) return unavoidable
  const unused = glob.trim().split(/\s+/)
  return concerns.find(concern => {
    const at = unused.findIndex(token => isNamedBy(token, concern))
    if (at >= 0) unused.splice(at, 1)
    return at < 0
  })
}

function isNamedBy(token: string, concern: Concern): boolean {
  const isNamed = concern.names.some(name => {
    const next = token[name.length] ?? ' '
    return name !== '' && token.startsWith(name) && (name.endsWith('=') || !/[\w-]/.test(next))
  })
  return isNamed && matches(token, concern.word.replace(/\s/g, innerSpace))
}

/** True if every argument that can be a path leads into the mission's directory, from each possible directory. */
function staysInside({ situation, command, directories }: CommandInPlace): boolean {
  const { request, resolvePath } = situation
  const root = resolvePath(request.dir)
  const isInside = (path: string) =>
    [path, resolve(path)].map(resolvePath).every(real => real === root || real.startsWith(`${root}/`))
  const isInsideFrom = (directory: string | null, path: string) => {
    if (isAbsolute(path)) return isInside(path)
    return directory !== null && !path.startsWith('~') && isInside(`${directory}/${path}`)
  }
  const args = command.words.slice(1)
  if (!args.every(isKnown) || countPaths(args) > maxPaths) return false
  const paths = [...new Set(args.flatMap(item => pathsIn(item.value)))]
  return directories.every(directory => paths.every(path => isInsideFrom(directory, path)))
}

/** A limit, because each path is looked up on the disk from every possible directory. */
const maxPaths = 500

function countPaths(args: readonly ShellWord[]): number {
  return args.reduce((sum, { value }) => sum + value.split(pathSeparators).length, 0)
}

/** A path may begin after one of these: `of=/x`, `@/x`, `a:/x`, `a,/x`. The `:` of a web address is not one. */
const pathSeparators = /[=@,]|:(?!\/\/)|(?<!\b(?:https?|ssh)):/g

function pathsIn(text: string): string[] {
  const afterSeparators = [...text.matchAll(pathSeparators)].map(found => text.slice(found.index + 1))
  if (!text.startsWith('-')) return [text, ...afterSeparators]
  const joined = /[/~]|\.\./.exec(text)
  return [text.slice(2), ...(joined ? [text.slice(joined.index)] : []), ...afterSeparators]
}

function decideOpaque(situation: Situation, part: Opaque): ExplainedVerdict {
  const text = part.text.replace(/\s+/g, ' ').trim()
  const verdict = applyRules(situation, 'Bash', {
    text: part.text,
    matchesLoosely: pattern => globsOf(situation, pattern).some(glob => matches(glob, text)),
    mightMatch: () => part.hidesCommands === true,
    whyNotCovered: () => part.reason,
  })
  const index = part.hidesCommands && verdict.decision === 'allow' ? restrictingFileRule(situation) : -1
  if (index < 0) return verdict
  return { ...verdict, decision: 'ask', reason: uncertainReason(situation.rules, index), rule: null }
}

/** Commands that cannot be read may also open files. Returns -1 if no rule denies or asks about those. */
function restrictingFileRule({ rules }: Situation): number {
  const isAboutFiles = (rule: Rule) => isForTool(rule, 'Write') || isForTool(rule, 'Read')
  return rules.findIndex(rule => rule.decision !== 'allow' && isAboutFiles(rule))
}

/** Writing to a file needs the same permission as Write, and reading from one is treated as Read. */
function decideRedirection(situation: Situation, part: FileUse, directories: Directories): ExplainedVerdict {
  const { target } = part
  const isCertain = isKnown(target) && (/^[/~]/.test(target.value) || directories.length === 1)
  const tool = part.kind === 'write' ? 'Write' : 'Read'
  const verdict = decidePath(situation, tool, isCertain ? target.value : null, part.text)
  const needsNoRule = part.kind === 'read' && verdict.decision === 'ask' && verdict.rule === null
  return needsNoRule && situation.mode !== 'ask' && isCertain
    ? { ...verdict, decision: 'allow', reason: 'it only reads' }
    : verdict
}
