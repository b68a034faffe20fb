import { unknownText } from '../glob.ts'
import { isInert } from './concerns.ts'
import { type Launcher, stdinShells } from './known-programs.ts'
import { baseName, type Concern, isKnown, type ShellWord, type SimpleCommand, wordOf } from './parts.ts'

interface InnerStart {
  at: number
  assignments: ShellWord[]
}

/** Finds where the command inside a launcher's arguments begins. Returns null if an option is not known. */
export function innerStart(words: readonly ShellWord[], launcher: Launcher): InnerStart | null {
  const flags = launcher.flags?.split(' ') ?? []
  const valued = launcher.valued?.split(' ') ?? []
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
  at += launcher.operands ?? 0
  if (!words.slice(0, at).every(isKnown)) return null
  const assignments: ShellWord[] = []
  while (launcher.assignments && /^[^=]+=/.test(words[at]?.value ?? '')) assignments.push(words[at++]!)
  return { at, assignments }
}

function isJoined(option: string, name: string): boolean {
  return name.startsWith('--') ? option.startsWith(`${name}=`) : option.startsWith(name)
}

/** xargs adds its input at the end of the command, or with `-I` replaces a text that the caller chooses. */
export function addXargsInput(inner: SimpleCommand, options: readonly ShellWord[]): void {
  const values = options.map(item => item.value)
  const replaced = values.flatMap((option, at) => {
    if (option === '-I') return [values[at + 1] ?? '']
    return option === '--replace' ? ['{}'] : option.startsWith('-I') ? [option.slice(2)] : []
  })
  for (const text of replaced.filter(Boolean))
    inner.words = inner.words.map(item => withUnknownFor(text, item))
  inner.words.push(wordOf(unknownText))
}

function withUnknownFor(text: string, word: ShellWord): ShellWord {
  if (!word.value.includes(text)) return word
  return { ...wordOf(word.value.replaceAll(text, unknownText)), doubt: word.doubt }
}

const findActions = /^-(?:exec|ok)(?:dir)?$/

/** Returns the commands that `find … -exec … ;` would run, where `{}` is an unknown path. */
export function findCommands(find: SimpleCommand): SimpleCommand[] {
  const { words, hasStdin, mayRepeat } = find
  return words.flatMap(({ value: action }, at): SimpleCommand[] => {
    if (!findActions.test(action)) return []
    const rest = words.slice(at + 1)
    const end = endOfAction(rest, action.startsWith('-exec'))
    const inner = rest.slice(0, end).map(item => withUnknownFor('{}', item))
    if (inner.length === 0) return []
    const text = inner.map(item => item.value.replaceAll(unknownText, '{}')).join(' ')
    const found: SimpleCommand = {
      kind: 'command',
      text,
      assignments: [],
      words: inner,
      hasStdin,
      mayRepeat,
      concerns: [],
    }
    if (action.endsWith('dir') && !isInert(found)) found.concerns.push(runsInOtherDirectories)
    return [found]
  })
}

const runsInOtherDirectories: Concern = {
  reason: 'find would run it in other directories',
  word: '',
  names: [],
  alwaysAsk: true,
}

/** A `+` ends the command only directly after `{}`; anywhere else it is an ordinary word. */
function endOfAction(rest: readonly ShellWord[], acceptsPlus: boolean): number | undefined {
  const end = rest.findIndex(
    ({ value }, at) => value === ';' || (acceptsPlus && value === '+' && rest[at - 1]?.value === '{}'),
  )
  return end < 0 ? undefined : end
}

export interface ShellScript {
  /** The script given with `-c`; null if the shell runs a file. */
  source: string | null
  /** A rule for the shell itself must contain one of these; null if only the script needs to be allowed. */
  names: string[] | null
  /** Follows the name of the shell in a sentence. */
  reason: string | null
}

const harmlessShellOptions = /^-[ceux]+$/

/** Reads `bash -c '…'` or `sh file`. Returns null if it is not certain which script would run. */
export function shellScript(command: SimpleCommand): ShellScript | null {
  const [program, ...rest] = command.words
  const name = baseName(program!.value)
  let isHarmless = ['sh', 'bash', 'dash', 'zsh', 'ksh'].includes(name)
  let isGivenAsText = false
  let at = 0
  for (; /^[-+]/.test(rest[at]?.value ?? ''); at++) {
    const option = rest[at]!
    if (!isKnown(option)) return null
    if (option.value === '--') {
      at++
      break
    }
    if (/^-[a-zA-Z]*c/.test(option.value)) isGivenAsText = true
    if (/^(?:[-+][a-zA-Z]*[oO]|--rcfile|--init-file|--emulate)$/.test(option.value)) at++
    isHarmless &&= harmlessShellOptions.test(option.value)
  }
  const operand: ShellWord | undefined = rest[at]
  if (!operand || !isKnown(operand)) return null
  if (!isGivenAsText)
    return command.hasStdin ? null : { source: null, names: [name], reason: 'runs a script file' }
  const names = isHarmless ? null : [name]
  return { source: operand.value, names, reason: 'has options that change how the script runs' }
}

/** Returns the script that `eval` joins from its arguments, or null if they are not all known. */
export function evalScript({ words }: SimpleCommand): ShellScript | null {
  const rest = words.slice(1)
  return rest.every(isKnown)
    ? { source: rest.map(item => item.value).join(' '), names: null, reason: null }
    : null
}

/** True for `source <(…)`, `… | source /dev/stdin` and `… | at now`. A script in a file counts as a program. */
export function runsScriptFromStdin({ words, hasStdin }: SimpleCommand, program: string): boolean {
  if (program !== 'source' && program !== '.') return hasStdin && stdinShells.has(program)
  const script = words[1]
  if (!script || script.possible === unknownText) return true
  return hasStdin && (!isKnown(script) || /^\/(?:dev|proc)\//.test(script.value))
}
