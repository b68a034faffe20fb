import { unknownText } from '../glob.ts'
import { declarations, shellState } from './carriers.ts'
import { riskyGitWords } from './git-command.ts'
import { type RiskyWord, riskyWords } from './options.ts'
import type { Concern, SimpleCommand } from './part.ts'
import {
  commandReaders,
  inertPrograms,
  interpreters,
  oneDashPrograms,
  riskyOptions,
  riskyOptionsElsewhere,
  sameProgram,
  writesSecondOperand,
} from './programs.ts'
import { riskyAwkScripts, riskyNumbers, riskySedScripts } from './programs-text.ts'
import { baseName, isKnown, lookUp, plainProgram } from './words.ts'

/** Everything about a command that a glob matching it does not cover. */
export function concernsOf(command: SimpleCommand): Concern[] {
  const [first, ...rest] = command.words
  if (!first) return [...command.concerns, ...assignmentConcerns(command), ...redirectOnly(command)]
  const program = programName(first.value)
  const args = rest.map(item => item.value)
  return [
    ...command.concerns,
    ...assignmentConcerns(command),
    ...uncertainWords(command),
    ...climbingProgram(first.value),
    ...riskyArguments(program, args).map(toConcern(program)),
    ...stdinConcern(command, program, args),
    ...shellConcerns(program, args),
  ]
}

export function isInert(command: SimpleCommand): boolean {
  return inertPrograms.has(plainProgram(command.words[0]?.value ?? ''))
}

const gnuNames =
  /^g(?:awk|chroot|date|env|find|make|nice|nohup|sed|shuf|sort|split|stdbuf|tar|time|timeout|xargs)$/

/** `python3.12` is python, `gsed` is sed. */
export function programName(program: string): string {
  const base = baseName(program).toLowerCase()
  const plain = base.replace(/^(python|perl|ruby|node|php|lua|pip|pypy|gcc|clang)[\d.-]+$/, '$1')
  const gnu = gnuNames.test(plain) ? plain.slice(1) : plain
  return lookUp(sameProgram, gnu) ?? gnu
}

function redirectOnly(command: SimpleCommand): Concern[] {
  if (command.assignments.length > 0) return []
  return [{ why: 'a redirection without a command', word: '', names: [], certainAsk: true }]
}

function assignmentConcerns(command: SimpleCommand): Concern[] {
  return command.assignments.map(item => {
    const name = /^\w+\+?=/.exec(item.value)?.[0] ?? item.value
    const certainAsk = item.doubt !== null
    return { why: `${name} is set for the command`, word: item.value, names: [name], runs: true, certainAsk }
  })
}

/** A variable or a file name could be an option, or several words. */
function uncertainWords(command: SimpleCommand): Concern[] {
  const inert = isInert(command)
  const isGit = programName(command.words[0]!.value) === 'git'
  const separator = command.words.findIndex(item => item.value === '--')
  return command.words.flatMap((item, at): Concern[] => {
    const afterSeparator = isGit && separator > 1 && at > separator
    const harmless = item.doubt === null && at > 0 && (inert || item.pathsOnly || afterSeparator)
    if (isKnown(item) || harmless) return []
    const why = item.doubt ?? `the value of ${item.value.replaceAll(unknownText, '…')} is not known`
    return [{ why, word: item.value, names: [], certainAsk: true }]
  })
}

/** `scripts/../../x` is no script of that directory: a rule has to say how far up it goes. */
function climbingProgram(program: string): Concern[] {
  const climb = /^(?:.*\/)?\.\.(?=\/)/.exec(program)?.[0]
  return climb === undefined ? [] : [{ why: `${program} leads elsewhere`, word: program, names: [climb] }]
}

function riskyArguments(program: string, args: readonly string[]): RiskyWord[] {
  if (program === 'git') return riskyGitWords(args)
  if (program.startsWith('git-')) return riskyGitWords([program.slice('git-'.length), ...args])
  const options = lookUp(riskyOptions, program) ?? (inertPrograms.has(program) ? '' : riskyOptionsElsewhere)
  const found = riskyWords(bundled(program, args), options, oneDashPrograms.has(program))
  const words = (list: string[]) => list.map(text => ({ word: text, names: [text] }))
  if (program === 'sed') found.push(...words(riskySedScripts(args)))
  if (program === 'awk') found.push(...words(riskyAwkScripts(args)))
  found.push(...words(riskyNumbers(program, args)))
  if (program === 'make') found.push(...assignmentArguments(args))
  if (writesSecondOperand.has(program))
    found.push(...words(args.filter(arg => !arg.startsWith('-')).slice(1)))
  return found
}

/** `tar xIf …` means `tar -xIf …`. */
function bundled(program: string, args: readonly string[]): readonly string[] {
  return program === 'tar' && args[0] && !args[0].startsWith('-') ? [`-${args[0]}`, ...args.slice(1)] : args
}

function assignmentArguments(args: readonly string[]): RiskyWord[] {
  return args
    .filter(arg => /^[^-\s][^\s=]*=/.test(arg))
    .map(arg => ({ word: arg, names: [`${arg.split('=', 1)[0]}=`] }))
}

function toConcern(program: string) {
  return ({ word, names }: RiskyWord): Concern => ({
    why: `${program} ${word} can run other programs or write elsewhere`,
    word,
    names,
    runs: true,
  })
}

function stdinConcern(command: SimpleCommand, program: string, args: readonly string[]): Concern[] {
  const readsProgram =
    commandReaders.has(program) || (interpreters.has(program) && args.every(arg => arg.startsWith('-')))
  return readsProgram && command.fed
    ? [{ why: `${program} runs what it is fed`, word: program, names: [], certainAsk: true }]
    : []
}

function shellConcerns(program: string, args: readonly string[]): Concern[] {
  if (program === 'source' || program === '.') {
    return [
      {
        why: `${args[0] ?? program} would be run`,
        word: args[0] ?? program,
        names: args.slice(0, 1),
        runs: true,
      },
    ]
  }
  if (shellState.has(program)) {
    return [{ why: `${program} changes the shell`, word: program, names: [program], runs: true }]
  }
  if (!declarations.has(program)) return []
  return args.map(arg => {
    const name = arg.includes('=') ? `${arg.split('=', 1)[0]}=` : arg
    return { why: `${name} is set`, word: arg, names: [name], runs: true }
  })
}
