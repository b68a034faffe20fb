import { unknownText } from '../glob.ts'
import { programName } from './concerns.ts'
import {
  addXargsInput,
  evalScript,
  findCommands,
  innerStart,
  runsScriptFromStdin,
  shellScript,
} from './inner-command.ts'
import {
  type Launcher,
  namedLaunchers,
  opaqueLaunchers,
  remoteLaunchers,
  shells,
  transparentLaunchers,
} from './known-programs.ts'
import { readScript, type Surroundings } from './parse-script.ts'
import {
  allowText,
  baseName,
  isKnown,
  lookUp,
  type Part,
  plainProgram,
  type ShellWord,
  type SimpleCommand,
} from './parts.ts'

const maxDepth = 64

/** Lists everything a command line would run, including commands inside `sudo`, `bash -c`, `find -exec` and so on. */
export function readCommandLine(source: string, depth = 0, around: Surroundings = {}): Part[] {
  if (depth > maxDepth) return [nestedTooDeeply(source)]
  return readScript(source, around).flatMap(part => (part.kind === 'command' ? unwrap(part, depth) : [part]))
}

function nestedTooDeeply(text: string): Part {
  return { kind: 'opaque', text, reason: 'the commands are nested too deeply', hidesCommands: true }
}

/** Returns the command itself, then the commands it would run. */
function unwrap(command: SimpleCommand, depth: number): Part[] {
  const typed = command.words[0]?.value ?? ''
  const program = programName(typed)
  const isSystemProgram = plainProgram(typed) === program
  if (depth > maxDepth) return [nestedTooDeeply(command.text)]
  if (isLookup(command.words)) return [command]
  const transparent = lookUp(transparentLaunchers, program)
  const launcher = transparent ?? lookUp(namedLaunchers, program)
  const runsText = shells.has(program) || program === 'eval'
  if (!isSystemProgram && (launcher || runsText)) addConcern(command, 'is not the program of the system', [])
  if (launcher) return unwrapLauncher(command, launcher, isSystemProgram && transparent !== undefined, depth)
  if (runsText) return unwrapScript(command, program, depth)
  if (program === 'trap') return [command, ...unwrapTrap(command, depth)]
  if (program === 'alias') return [command, ...unwrapAlias(command)]
  if (program === 'find')
    return [command, ...findCommands(command).flatMap(inner => unwrap(inner, depth + 1))]
  if (opaqueLaunchers.has(program) || isDynamicLinker(program))
    addConcern(command, 'runs the command it is given', [])
  if (remoteLaunchers.has(program)) addRemoteConcern(command)
  return runsScriptFromStdin(command, program) ? [command, unknownCommands(command, program)] : [command]
}

/** `command -v` only looks a program up. */
function isLookup(words: readonly ShellWord[]): boolean {
  return words[0]?.value === 'command' && /^-[vV]$/.test(words[1]?.value ?? '')
}

/** The dynamic linker runs the program it is given. */
function isDynamicLinker(program: string): boolean {
  return /^ld(?:-linux|-musl)?[-\w]*\.so/.test(program)
}

function addConcern(
  command: SimpleCommand,
  predicate: string,
  names: string[],
  word = command.words[0]?.value ?? '',
): void {
  command.concerns.push({ reason: `${word} ${predicate}`, word, names, runsOthers: true })
}

function addRemoteConcern(command: SimpleCommand): void {
  const operand = command.words.slice(1).find(item => !item.value.startsWith('-'))?.value
  addConcern(command, 'can run other programs', operand ? [operand] : [], operand)
}

function unwrapLauncher(
  command: SimpleCommand,
  launcher: Launcher,
  isTransparent: boolean,
  depth: number,
): Part[] {
  const program = command.words[0]!.value
  const start = innerStart(command.words, launcher)
  if (start === null) {
    addConcern(command, 'has options that are not understood', [])
    return [command]
  }
  if (isTransparent) command.transparent = start.at < command.words.length
  else addConcern(command, 'changes how the command runs', [baseName(program)])
  if (start.at >= command.words.length) return [command]

  const inner = innerCommand(command, start.at)
  inner.assignments.push(...start.assignments)
  if (launcher.addsArguments) addXargsInput(inner, command.words.slice(1, start.at))
  return [command, ...unwrap(inner, depth + 1)]
}

function innerCommand(command: SimpleCommand, at: number): SimpleCommand {
  const words = command.words.slice(at)
  return {
    kind: 'command',
    text: words.map(item => item.value.replaceAll(unknownText, '…')).join(' '),
    assignments: [...command.assignments],
    words,
    hasStdin: command.hasStdin,
    mayRepeat: command.mayRepeat,
    outer: {
      text: allowText(command.words),
      prefixLength: allowText(command.words.slice(0, at + 1)).length,
    },
    concerns: [],
  }
}

function unwrapScript(command: SimpleCommand, program: string, depth: number): Part[] {
  const script = program === 'eval' ? evalScript(command) : shellScript(command)
  if (script === null) return [command, unknownCommands(command, program)]
  if (script.names) addConcern(command, script.reason ?? 'runs a script', script.names)
  else command.transparent = command.concerns.length + command.assignments.length === 0
  return script.source === null ? [command] : [command, ...readCommandLine(script.source, depth + 1, command)]
}

/** Reads `trap 'script' signal …`. With `-`, an empty script or only a signal, a trap is removed and nothing runs. */
function unwrapTrap(command: SimpleCommand, depth: number): Part[] {
  const operands = command.words.slice(command.words[1]?.value === '--' ? 2 : 1)
  const [script] = operands
  if (!script || operands.length < 2 || /^(?:-.*)?$/.test(script.value)) return []
  if (!isKnown(script)) return [unknownCommands(command, 'trap')]
  return readCommandLine(script.value, depth + 1, { hasStdin: command.hasStdin, mayRepeat: true })
}

/** After an alias is set, a later word may run any command. */
function unwrapAlias(command: SimpleCommand): Part[] {
  const setsAlias = command.words.slice(1).some(item => item.value.includes('=') || !isKnown(item))
  return setsAlias ? [unknownCommands(command, 'an alias')] : []
}

function unknownCommands({ text }: SimpleCommand, runner: string): Part {
  return {
    kind: 'opaque',
    text,
    reason: `it is not certain what ${runner} would run`,
    hidesCommands: true,
  }
}
