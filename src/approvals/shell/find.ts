import { unknownText } from '../glob.ts'
import { type SimpleCommand, word } from './part.ts'

const runners = /^-(?:exec|execdir|ok|okdir)$/

/** The commands that `find … -exec … ;` would run; `{}` is a path nobody knows yet. */
export function findCommands(find: SimpleCommand): SimpleCommand[] {
  const found: SimpleCommand[] = []
  const { words } = find
  for (let at = 0; at < words.length; at++) {
    if (!runners.test(words[at]!.value)) continue
    const rest = words.slice(at + 1)
    const end = rest.findIndex(item => item.value === ';' || item.value === '+')
    const inner = (end < 0 ? rest : rest.slice(0, end)).map(item =>
      item.value.includes('{}')
        ? { ...word(item.value.replaceAll('{}', unknownText)), doubt: item.doubt }
        : item,
    )
    if (inner.length === 0) continue
    const text = inner.map(item => item.value.replaceAll(unknownText, '{}')).join(' ')
    found.push({ kind: 'command', text, assignments: [], words: inner, fed: false, concerns: [] })
  }
  return found
}
