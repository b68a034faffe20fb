import { unknownText } from '../glob.ts'
import { riskyGitWords } from './git-command.ts'
import {
  commandReaders,
  declarationBuiltins,
  inertPrograms,
  interpreters,
  oneDashPrograms,
  programAliases,
  riskyOptions,
  riskyOptionsOfOthers,
  stateBuiltins,
  writesSecondOperand,
} from './known-programs.ts'
import { baseName, type Concern, isKnown, lookUp, plainProgram, type SimpleCommand } from './parts.ts'
import { type RiskyWord, riskyAwkScripts, riskyNumbers, riskySedScripts, riskyWords } from './risky-words.ts'

/** Lists everything about a command that a matching glob does not cover by itself. */
export function concernsOf(command: SimpleCommand): Concern[] {
  const [first, ...rest] = command.words
  if (!first)
    return [...command.concerns, ...assignmentConcerns(command), ...redirectionWithoutCommand(command)]
  const program = programName(first.value)
  const args = rest.map(item => item.value)
  return [
    ...command.concerns,
    ...assignmentConcerns(command),
    ...unknownWordConcerns(command),
    ...parentDirectoryConcern(first.value),
    ...riskyArguments(program, args).map(toConcern(program)),
    ...stdinConcern(command, program, args),
    ...builtinConcerns(program, args),
  ]
}

export function isInert(command: SimpleCommand): boolean {
  return inertPrograms.has(plainProgram(command.words[0]?.value ?? ''))
}

const gnuNames =
  /^g(?:awk|chroot|date|env|find|make|nice|nohup|sed|shuf|sort|split|stdbuf|tar|time|timeout|xargs)$/

/** The name under which the tables list a program: `python3.12` is python, and `gsed` is sed. */
export function programName(program: string): string {
  const base = baseName(program).toLowerCase()
  const plain = base.replace(/^(python|perl|ruby|node|php|lua|pip|pypy|gcc|clang)[\d.-]+$/, '$1')
  const gnu = gnuNames.test(plain) ? plain.slice(1) : plain
  return lookUp(programAliases, gnu) ?? gnu
}

function redirectionWithoutCommand(command: SimpleCommand): Concern[] {
  if (command.assignments.length > 0) return []
  return [{ reason: 'there is a redirection without a command', word: '', names: [], alwaysAsk: true }]
}

function assignmentConcerns(command: SimpleCommand): Concern[] {
  return command.assignments.map(item => {
    const name = /^\w+\+?=/.exec(item.value)?.[0] ?? item.value
    const alwaysAsk = item.doubt !== null
    const reason = `it sets ${name} for the command`
    return { reason, word: item.value, names: [name], runsOthers: true, alwaysAsk }
  })
}

/** The value of a variable or a file name could be an option or several words. */
function unknownWordConcerns(command: SimpleCommand): Concern[] {
  const inert = isInert(command)
  const isGit = programName(command.words[0]!.value) === 'git'
  const separator = command.words.findIndex(item => item.value === '--')
  return command.words.flatMap((item, at): Concern[] => {
    const afterSeparator = isGit && separator > 1 && at > separator
    const harmless = item.doubt === null && at > 0 && (inert || item.pathsOnly || afterSeparator)
    if (isKnown(item) || harmless) return []
    const reason = item.doubt ?? `the value of ${item.value.replaceAll(unknownText, '…')} is not known`
    return [{ reason, word: item.value, names: [], alwaysAsk: true }]
  })
}

/** `scripts/../../x` does not lie in `scripts`. A rule has to contain the `..` as well. */
function parentDirectoryConcern(program: string): Concern[] {
  const upward = /^(?:.*\/)?\.\.(?=\/)/.exec(program)?.[0]
  if (upward === undefined) return []
  return [{ reason: `${program} leads to another directory`, word: program, names: [upward] }]
}

function riskyArguments(program: string, args: readonly string[]): RiskyWord[] {
  if (program === 'git') return riskyGitWords(args)
  if (program.startsWith('git-')) return riskyGitWords([program.slice('git-'.length), ...args])
  const options = lookUp(riskyOptions, program) ?? (inertPrograms.has(program) ? '' : riskyOptionsOfOthers)
  const found = riskyWords(withDashForTar(program, args), options, oneDashPrograms.has(program))
  const words = (list: string[]) => list.map(text => ({ word: text, names: [text] }))
  if (program === 'sed') found.push(...words(riskySedScripts(args)))
  if (program === 'awk') found.push(...words(riskyAwkScripts(args)))
  found.push(...words(riskyNumbers(program, args)))
  if (program === 'make') found.push(...assignmentArguments(args))
  if (writesSecondOperand.has(program))
    found.push(...words(args.filter(arg => !arg.startsWith('-')).slice(1)))
  return found
}

/** `tar xIf …` means the same as `tar -xIf …`. */
function withDashForTar(program: string, args: readonly string[]): readonly string[] {
  return program === 'tar' && args[0] && !args[0].startsWith('-') ? [`-${args[0]}`, ...args.slice(1)] : args
}

function assignmentArguments(args: readonly string[]): RiskyWord[] {
  return args
    .filter(arg => /^[^-\s][^\s=]*=/.test(arg))
    .map(arg => ({ word: arg, names: [`${arg.split('=', 1)[0]}=`] }))
}

function toConcern(program: string) {
  return ({ word, names }: RiskyWord): Concern => ({
    reason: `${program} ${word} can run other programs or write to other places`,
    word,
    names,
    runsOthers: true,
  })
}

function stdinConcern(command: SimpleCommand, program: string, args: readonly string[]): Concern[] {
  const runsStdin =
    commandReaders.has(program) || (interpreters.has(program) && args.every(arg => arg.startsWith('-')))
  return runsStdin && command.hasStdin
    ? [{ reason: `${program} runs its standard input`, word: program, names: [], alwaysAsk: true }]
    : []
}

function builtinConcerns(program: string, args: readonly string[]): Concern[] {
  if (program === 'source' || program === '.') {
    return [
      {
        reason: `it would run the commands in ${args[0] ?? 'a file'}`,
        word: args[0] ?? program,
        names: args.slice(0, 1),
        runsOthers: true,
      },
    ]
  }
  if (stateBuiltins.has(program)) {
    return [{ reason: `${program} changes the shell`, word: program, names: [program], runsOthers: true }]
  }
  if (!declarationBuiltins.has(program)) return []
  return args.map(arg => {
    const name = arg.includes('=') ? `${arg.split('=', 1)[0]}=` : arg
    return { reason: `it sets ${name}`, word: arg, names: [name], runsOthers: true }
  })
}
