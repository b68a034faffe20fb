import { unknownText } from '../glob.ts'
import { innerStart, takeInput } from './carrier-words.ts'
import {
  type Carrier,
  namedCarriers,
  opaqueCarriers,
  remoteCarriers,
  shells,
  transparentCarriers,
} from './carriers.ts'
import { programName } from './concerns.ts'
import { findCommands } from './find-command.ts'
import { evalScript, isFedScript, shellScript } from './nested-shells.ts'
import { readScript, type Surroundings } from './parse-script.ts'
import type { Concern, Part, ShellWord, SimpleCommand } from './part.ts'
import { allowText, baseName, isKnown, lookUp, plainProgram } from './words.ts'

const maxDepth = 64

/** A command line as the list of everything that would run, wrappers taken off one by one. */
export function readCommandLine(source: string, depth = 0, around: Surroundings = {}): Part[] {
  if (depth > maxDepth) return [{ kind: 'opaque', text: source, why: 'nested too deeply', hides: true }]
  return readScript(source, around).flatMap(part => (part.kind === 'command' ? expand(part, depth) : [part]))
}

function expand(command: SimpleCommand, depth: number): Part[] {
  const typed = command.words[0]?.value ?? ''
  const program = programName(typed)
  const genuine = plainProgram(typed) === program
  if (depth > maxDepth) return [{ kind: 'opaque', text: command.text, why: 'nested too deeply', hides: true }]
  if (isLookup(command.words)) return [command]
  const carrier = lookUp(transparentCarriers, program) ?? lookUp(namedCarriers, program)
  const runsText = shells.has(program) || program === 'eval'
  if (!genuine && (carrier || runsText)) concern(command, 'is not the one of the system', [])
  if (carrier)
    return carried(command, carrier, genuine && lookUp(transparentCarriers, program) !== undefined, depth)
  if (runsText) return interpreted(command, program, depth)
  if (program === 'trap') return [command, ...trapped(command, depth)]
  if (program === 'alias') return [command, ...aliased(command)]
  if (program === 'find')
    return [command, ...findCommands(command).flatMap(inner => expand(inner, depth + 1))]
  if (opaqueCarriers.has(program) || isLoader(program)) concern(command, 'runs the command it is given', [])
  if (remoteCarriers.has(program)) remote(command)
  return isFedScript(command, program) ? [command, hidden(command, program)] : [command]
}

function isLookup(words: readonly ShellWord[]): boolean {
  return words[0]?.value === 'command' && /^-[vV]$/.test(words[1]?.value ?? '')
}

/** The dynamic linker runs the program it is given. */
function isLoader(program: string): boolean {
  return /^ld(?:-linux|-musl)?[-\w]*\.so/.test(program)
}

function concern(
  command: SimpleCommand,
  why: string,
  names: string[],
  item = command.words[0]?.value ?? '',
): void {
  const added: Concern = { why: `${item} ${why}`, word: item, names, runs: true }
  command.concerns.push(added)
}

function remote(command: SimpleCommand): void {
  const operand = command.words.slice(1).find(item => !item.value.startsWith('-'))?.value
  concern(command, 'is what it would run', operand ? [operand] : [], operand)
}

function carried(command: SimpleCommand, carrier: Carrier, transparent: boolean, depth: number): Part[] {
  const program = command.words[0]!.value
  const start = innerStart(command.words, carrier)
  if (start === null) {
    concern(command, 'has options that are not understood', [])
    return [command]
  }
  if (transparent) command.transparent = start.at < command.words.length
  else concern(command, 'changes how the command runs', [baseName(program)])
  if (start.at >= command.words.length) return [command]

  const inner = innerCommand(command, start.at)
  inner.assignments.push(...start.assignments)
  if (carrier.appends) takeInput(inner, command.words.slice(1, start.at))
  return [command, ...expand(inner, depth + 1)]
}

function innerCommand(command: SimpleCommand, at: number): SimpleCommand {
  const words = command.words.slice(at)
  return {
    kind: 'command',
    text: words.map(item => item.value.replaceAll(unknownText, '…')).join(' '),
    assignments: [...command.assignments],
    words,
    fed: command.fed,
    again: command.again,
    outer: { text: allowText(command.words), upTo: allowText(command.words.slice(0, at + 1)).length },
    concerns: [],
  }
}

function interpreted(command: SimpleCommand, program: string, depth: number): Part[] {
  const script = program === 'eval' ? evalScript(command) : shellScript(command)
  if (script === null) return [command, hidden(command, program)]
  if (script.names) concern(command, script.why ?? 'runs a script', script.names)
  else command.transparent = command.concerns.length + command.assignments.length === 0
  return script.source === null ? [command] : [command, ...readCommandLine(script.source, depth + 1, command)]
}

/** `trap 'script' signal …`; `-`, nothing and a signal alone only take a trap away. */
function trapped(command: SimpleCommand, depth: number): Part[] {
  const operands = command.words.slice(command.words[1]?.value === '--' ? 2 : 1)
  const [script] = operands
  if (!script || operands.length < 2 || /^(?:-.*)?$/.test(script.value)) return []
  if (!isKnown(script)) return [hidden(command, 'trap')]
  return readCommandLine(script.value, depth + 1, { fed: command.fed, again: true })
}

/** From here on, a word means another. */
function aliased(command: SimpleCommand): Part[] {
  const sets = command.words.slice(1).some(item => item.value.includes('=') || !isKnown(item))
  return sets ? [hidden(command, 'an alias')] : []
}

function hidden({ text }: SimpleCommand, what: string): Part {
  return { kind: 'opaque', text, why: `what ${what} would run is not known`, hides: true }
}
