import { unknownText } from '../glob.ts'
import { fedShells } from './carriers.ts'
import type { ShellWord, SimpleCommand } from './part.ts'
import { baseName, isKnown } from './words.ts'

export interface ShellScript {
  /** The script given in `-c`, or null when a file is run. */
  source: string | null
  /** What a rule has to say to cover the shell itself; null when the script alone counts. */
  names: string[] | null
  why: string | null
}

const quietCluster = /^-[ceux]+$/

/** What `bash -c '…'` or `sh file` would run; null when that cannot be told. */
export function shellScript(command: SimpleCommand): ShellScript | null {
  const [program, ...rest] = command.words
  const name = baseName(program!.value)
  let quiet = ['sh', 'bash', 'dash', 'zsh', 'ksh'].includes(name)
  let fromText = false
  let at = 0
  for (; /^[-+]/.test(rest[at]?.value ?? ''); at++) {
    const option = rest[at]!
    if (!isKnown(option)) return null
    if (option.value === '--') {
      at++
      break
    }
    if (/^-[a-zA-Z]*c/.test(option.value)) fromText = true
    if (/^(?:[-+][a-zA-Z]*[oO]|--rcfile|--init-file|--emulate)$/.test(option.value)) at++
    quiet &&= quietCluster.test(option.value)
  }
  const operand: ShellWord | undefined = rest[at]
  if (!operand || !isKnown(operand)) return null
  if (!fromText) return command.fed ? null : { source: null, names: [name], why: 'runs a script file' }
  return { source: operand.value, names: quiet ? null : [name], why: 'has options that change the script' }
}

/** What `eval` joins into one script; null when that cannot be told. */
export function evalScript({ words }: SimpleCommand): ShellScript | null {
  const rest = words.slice(1)
  return rest.every(isKnown)
    ? { source: rest.map(item => item.value).join(' '), names: null, why: null }
    : null
}

/** `source <(…)`, `… | source /dev/stdin`, `… | at now`. A script in a file is run like any other program. */
export function isFedScript({ words, fed }: SimpleCommand, program: string): boolean {
  if (program !== 'source' && program !== '.') return fed && fedShells.has(program)
  const script = words[1]
  if (!script || script.possible === unknownText) return true
  return fed && (!isKnown(script) || /^\/(?:dev|proc)\//.test(script.value))
}
