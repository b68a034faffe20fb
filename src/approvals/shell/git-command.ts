import {
  flagsOfTransfer,
  harmlessGlobalOptions,
  harmlessLookalikes,
  plainSubcommands,
  riskyBySubcommand,
  riskyEverywhere,
  valuedGlobalOptions,
} from './git-options.ts'
import { type RiskyWord, riskyWords } from './options.ts'
import { lookUp } from './words.ts'

export interface GitWords {
  globals: string[]
  /** undefined for a bare `git`. */
  subcommand: string | undefined
  args: string[]
}

export function splitGit(args: readonly string[]): GitWords {
  let at = 0
  while (args[at]?.startsWith('-')) at += valuedGlobalOptions.has(args[at]!) ? 2 : 1
  return { globals: args.slice(0, at), subcommand: args[at], args: args.slice(at + 1) }
}

/** The words after `git` that a glob such as `git *` does not cover. */
export function riskyGitWords(words: readonly string[]): RiskyWord[] {
  const { globals, subcommand, args } = splitGit(words)
  const risky = globals
    .filter(option => option.startsWith('-') && !harmlessGlobalOptions.has(option))
    .map(option => ({ word: option, names: [option.split('=', 1)[0]!, option] }))
  if (subcommand === undefined) return risky
  if (!plainSubcommands.has(subcommand)) return [...risky, { word: subcommand, names: [subcommand] }]
  const options = `${riskyEverywhere} ${lookUp(riskyBySubcommand, subcommand) ?? ''}`
  return [
    ...risky,
    ...riskyWords(args, options).filter(found => !harmlessLookalikes.has(found.word)),
    ...args.filter(isHelperUrl).map(same),
    ...(subcommand === 'config' ? settingsWritten(args) : []),
    ...foreignRepositories(subcommand, args),
  ]
}

const same = (word: string): RiskyWord => ({ word, names: [word] })

/** `ext::sh -c …` names a program to run as the transport. */
function isHelperUrl(arg: string): boolean {
  return /^(?:--?[\w-]+=)?[\w+.-]+::/.test(arg)
}

const readingSettings = /^(?:--get|--get-all|--get-regexp|--get-urlmatch|--list|-l|get|list)$/
const quietSettings =
  /^(?:--global|--local|--system|--worktree|--show-origin|--show-scope|--name-only|-z|--null|--all|--includes|--no-includes|--type=[\w-]+|--bool|--int|--path|--default=.*)$/

/** Settings are how git learns of programs to run: each key has to be named. */
function settingsWritten(args: readonly string[]): RiskyWord[] {
  const rest = args.filter(arg => !quietSettings.test(arg))
  if (rest.some(arg => arg.startsWith('-') && !readingSettings.test(arg))) return rest.map(same)
  if (readingSettings.test(rest[0] ?? '') || rest.length === 0) return []
  return rest.length === 1 && rest[0]!.includes('.')
    ? []
    : rest.slice(0, rest[0]!.includes('.') ? 1 : 2).map(same)
}

const serverRepository = /^(?:(?:https?|ssh):\/\/(?:\w[^/@\s]*@)?\w|git@\w[\w.-]*:)/

/** A repository on this disk, or a remote that may be one, runs its own hooks and settings. */
function foreignRepositories(subcommand: string, args: readonly string[]): RiskyWord[] {
  const operands = args.filter(arg => !arg.startsWith('-'))
  if (subcommand === 'remote') {
    const written = /^(?:add|set-url)$/.test(operands[0] ?? '')
    return written && !operands.slice(2).every(url => serverRepository.test(url)) ? [same(operands[0]!)] : []
  }
  if (!/^(?:push|fetch|pull|ls-remote)$/.test(subcommand)) return []
  const isKnown = (name: string) => /^(?:origin|upstream)$/.test(name) || serverRepository.test(name)
  const foreign = possibleRepositories(args).filter(name => !isKnown(name))
  return [...args.filter(arg => /^--repo/.test(arg)), ...foreign].map(same)
}

/** The first word that is no option, and the next one as well where that may be the value of an option. */
function possibleRepositories(args: readonly string[]): string[] {
  const places = [...args.keys()].filter(at => !args[at]!.startsWith('-'))
  const first = places.findIndex(at => !/^-/.test(args[at - 1] ?? '') || isFlag(args[at - 1]!))
  return (first < 0 ? places : places.slice(0, first + 1)).map(at => args[at]!)
}

function isFlag(option: string): boolean {
  return (
    option.includes('=') || flagsOfTransfer.has(option) || /^-(?:[adefknpqrtuvP46]+$|[Xjos].)/.test(option)
  )
}
