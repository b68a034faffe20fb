import { unknownText } from '../glob.ts'
import {
  type Carrier,
  namedCarriers,
  opaqueCarriers,
  remoteCarriers,
  shells,
  transparentCarriers,
} from './carriers.ts'
import { findCommands } from './find.ts'
import { type Concern, type Part, type ShellWord, type SimpleCommand, word } from './part.ts'
import { readScript } from './script.ts'
import { shellScript } from './shells.ts'
import { allowText, baseName, isKnown, lookUp, plainProgram } from './words.ts'

const maxDepth = 64

/** A command line as the list of everything that would run, wrappers taken off one by one. */
export function readCommandLine(source: string, depth = 0): Part[] {
  if (depth > maxDepth) return [{ kind: 'opaque', text: source, why: 'nested too deeply', hides: true }]
  return readScript(source).flatMap(part => (part.kind === 'command' ? expand(part, depth) : [part]))
}

function expand(command: SimpleCommand, depth: number): Part[] {
  const typed = command.words[0]?.value ?? ''
  const program = baseName(typed)
  const genuine = plainProgram(typed) === program
  if (depth > maxDepth) return [{ kind: 'opaque', text: command.text, why: 'nested too deeply', hides: true }]
  if (isLookup(command.words)) return [command]
  const carrier = lookUp(transparentCarriers, program) ?? lookUp(namedCarriers, program)
  if (!genuine && (carrier || shells.has(program))) concern(command, 'is not the one of the system', [])
  if (carrier)
    return carried(command, carrier, genuine && lookUp(transparentCarriers, program) !== undefined, depth)
  if (shells.has(program) || program === 'eval') return interpreted(command, program, depth)
  if (program === 'find')
    return [command, ...findCommands(command).flatMap(inner => expand(inner, depth + 1))]
  if (opaqueCarriers.has(program) || isLoader(program)) concern(command, 'runs the command it is given', [])
  if (remoteCarriers.has(program)) remote(command)
  return [command]
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
  if (carrier.appends) inner.words.push(word(unknownText))
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
    outer: { text: allowText(command.words), upTo: allowText(command.words.slice(0, at + 1)).length },
    concerns: [],
  }
}

interface InnerStart {
  at: number
  assignments: ShellWord[]
}

/** Where the carried command begins; null when an option is not known. */
function innerStart(words: readonly ShellWord[], carrier: Carrier): InnerStart | null {
  const flags = carrier.flags?.split(' ') ?? []
  const valued = carrier.valued?.split(' ') ?? []
  let at = 1
  for (; words[at]?.value.startsWith('-'); at++) {
    const option = words[at]!
    if (option.value === '--') {
      at++
      break
    }
    if (flags.includes(option.value)) continue
    if (valued.includes(option.value)) at++
    else if (!valued.some(name => isJoined(option.value, name))) return null
  }
  at += carrier.operands ?? 0
  if (!words.slice(0, at).every(isKnown)) return null
  const assignments: ShellWord[] = []
  while (carrier.assignments && /^\w+=/.test(words[at]?.value ?? '')) assignments.push(words[at++]!)
  return { at, assignments }
}

function isJoined(option: string, name: string): boolean {
  return name.startsWith('--') ? option.startsWith(`${name}=`) : option.startsWith(name)
}

function interpreted(command: SimpleCommand, program: string, depth: number): Part[] {
  const script = program === 'eval' ? evalScript(command.words) : shellScript(command)
  if (script === null) {
    const why = `what ${program} would run is not known`
    return [command, { kind: 'opaque', text: command.text, why, hides: true }]
  }
  if (script.names) concern(command, script.why ?? 'runs a script', script.names)
  else command.transparent = command.concerns.length + command.assignments.length === 0
  return script.source === null ? [command] : [command, ...readCommandLine(script.source, depth + 1)]
}

function evalScript(words: readonly ShellWord[]) {
  const rest = words.slice(1)
  return rest.every(isKnown)
    ? { source: rest.map(item => item.value).join(' '), names: null, why: null }
    : null
}
