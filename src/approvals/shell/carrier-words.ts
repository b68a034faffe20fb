import { unknownText } from '../glob.ts'
import type { Carrier } from './carriers.ts'
import { type ShellWord, type SimpleCommand, word } from './part.ts'
import { isKnown } from './words.ts'

interface InnerStart {
  at: number
  assignments: ShellWord[]
}

/** Where the carried command begins; null when an option is not known. */
export function innerStart(words: readonly ShellWord[], carrier: Carrier): InnerStart | null {
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
  while (carrier.assignments && /^[^=]+=/.test(words[at]?.value ?? '')) assignments.push(words[at++]!)
  return { at, assignments }
}

function isJoined(option: string, name: string): boolean {
  return name.startsWith('--') ? option.startsWith(`${name}=`) : option.startsWith(name)
}

/** xargs adds what it reads at the end, or with `-I` puts it in the place of a text of the caller's choice. */
export function takeInput(inner: SimpleCommand, options: readonly ShellWord[]): void {
  const values = options.map(item => item.value)
  const replaced = values.flatMap((option, at) => {
    if (option === '-I') return [values[at + 1] ?? '']
    return option === '--replace' ? ['{}'] : option.startsWith('-I') ? [option.slice(2)] : []
  })
  for (const text of replaced.filter(Boolean))
    inner.words = inner.words.map(item =>
      item.value.includes(text)
        ? { ...word(item.value.replaceAll(text, unknownText)), doubt: item.doubt }
        : item,
    )
  inner.words.push(word(unknownText))
}
