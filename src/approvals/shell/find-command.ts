import { unknownText } from '../glob.ts'
import { isInert } from './concerns.ts'
import { type Concern, type ShellWord, type SimpleCommand, word } from './part.ts'

const runners = /^-(?:exec|ok)(?:dir)?$/

/** The commands that `find … -exec … ;` would run; `{}` is a path nobody knows yet. */
export function findCommands(find: SimpleCommand): SimpleCommand[] {
  const { words, fed, again } = find
  return words.flatMap(({ value: runner }, at): SimpleCommand[] => {
    if (!runners.test(runner)) return []
    const rest = words.slice(at + 1)
    const end = endOf(rest, runner.startsWith('-exec'))
    const inner = rest
      .slice(0, end)
      .map(item =>
        item.value.includes('{}')
          ? { ...word(item.value.replaceAll('{}', unknownText)), doubt: item.doubt }
          : item,
      )
    if (inner.length === 0) return []
    const text = inner.map(item => item.value.replaceAll(unknownText, '{}')).join(' ')
    const found: SimpleCommand = {
      kind: 'command',
      text,
      assignments: [],
      words: inner,
      fed,
      again,
      concerns: [],
    }
    if (runner.endsWith('dir') && !isInert(found)) found.concerns.push(elsewhere)
    return [found]
  })
}

const elsewhere: Concern = {
  why: 'find would run it in other directories',
  word: '',
  names: [],
  certainAsk: true,
}

/** A `+` ends the command only right behind `{}`; anywhere else it is a word like others. */
function endOf(rest: readonly ShellWord[], takesPlus: boolean): number | undefined {
  const end = rest.findIndex(
    ({ value }, at) => value === ';' || (takesPlus && value === '+' && rest[at - 1]?.value === '{}'),
  )
  return end < 0 ? undefined : end
}
