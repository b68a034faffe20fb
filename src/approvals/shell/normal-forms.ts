import { unknownText } from '../glob.ts'
import { concernsOf, programName } from './concerns.ts'
import { splitGit } from './git-command.ts'
import { isOwnSubcommand } from './git-options.ts'
import { readScript } from './parse-script.ts'
import type { SimpleCommand } from './part.ts'
import { baseName } from './words.ts'

const maxDepth = 4
export const maxForms = 2000
export const maxArguments = 60

/**
 * The texts a deny or ask rule is compared with: as written, without quotes, without assignments, with
 * the program's bare name, without options before the subcommand, and whatever a program that runs
 * others may be told to run. Generous on purpose: one match is enough.
 */
export function normalForms(command: SimpleCommand, depth = 0): string[] {
  const forms = new Set([squeeze(command.text)])
  const assigned = command.assignments.map(item => item.resolved)
  for (const words of [command.words.map(item => item.value), command.words.map(item => item.resolved)]) {
    forms.add(squeeze([...assigned, ...words].join(' ')))
    for (const form of wordForms(squeeze(words.join(' ')).split(' '))) forms.add(form)
  }
  if (depth < maxDepth) for (const form of formsInside(command, depth)) forms.add(form)
  return [...forms].filter(form => form !== '').slice(0, maxForms)
}

export function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

export type Tails = (program: string, rest: readonly string[]) => string[][]

/** A command under each of its program's names, without more and more of the options in front. */
export function wordForms(words: readonly string[], tailsOf: Tails = generousTails): string[] {
  const [program, ...rest] = words
  if (!program) return []
  const bare = baseName(program)
  const dashed = /^git-(.+)$/.exec(bare)
  const names = new Set([program, bare, bare.toLowerCase(), ...(dashed ? [`git ${dashed[1]}`] : [])])
  const tails = tailsOf(program, rest)
  if (mayBeAlias(words)) tails.push([unknownText])
  return [...names].flatMap(name => (rest.length ? tails.map(tail => [name, ...tail].join(' ')) : [name]))
}

/** The arguments, and what is left of them without each option in front. */
export function generousTails(_program: string, rest: readonly string[]): string[][] {
  const front = optionsInFront(rest)
  return rest.flatMap((_, at) => (at <= front && front - at < maxArguments ? [rest.slice(at)] : []))
}

/** How many words could be options, each perhaps with a value, before the subcommand. */
function optionsInFront(words: readonly string[]): number {
  const isOption = (item = '') => /^[-+]/.test(item)
  const end = words.findIndex((item, at) => !isOption(item) && !isOption(words[at - 1]))
  return end < 0 ? words.length : end
}

function mayBeAlias([program = '', ...rest]: readonly string[]): boolean {
  const { subcommand } = splitGit(rest)
  return programName(program) === 'git' && subcommand !== undefined && !isOwnSubcommand(subcommand)
}

/** What a program that runs others could find among its words. */
function formsInside(command: SimpleCommand, depth: number): string[] {
  const texts = command.assignments.map(item => afterEquals(item.resolved))
  const runsOthers = concernsOf({ ...command, assignments: [] }).some(concern => concern.runs)
  const args = runsOthers ? command.words.slice(1, 1 + maxArguments).map(item => item.resolved) : []
  for (const arg of args) texts.push(arg, afterEquals(arg))
  return [
    ...texts.filter(text => /\s/.test(text)).flatMap(text => scriptForms(text, depth)),
    ...args.flatMap((_, at) => wordForms(args.slice(at))),
  ]
}

/** git marks an alias that is a shell command with `!`. */
function afterEquals(text: string): string {
  return text.slice(text.indexOf('=') + 1).replace(/^!/, '')
}

function scriptForms(text: string, depth: number): string[] {
  return readScript(text).flatMap(part => (part.kind === 'command' ? normalForms(part, depth + 1) : []))
}
