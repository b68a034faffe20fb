import type { ShellCommand } from './shell-command.ts'

/** True if a text contains all words of a pattern, in any order, or a command may spell the pattern's options differently. */
export function mayContain(text: string, pattern: string, command?: ShellCommand): boolean {
  const words = pattern.split(/[\s*?]+/).filter(word => word !== '')
  const names = words.filter(word => !word.startsWith('-'))
  if (names.length === 0) return false
  const lower = text.toLowerCase()
  const squeezed = lower.replace(/[^a-z\d]/g, '')
  const hasName = (name: string) => isIn(lower, squeezed, name.toLowerCase())
  if (text !== '' && names.every(hasName)) return true
  return command !== undefined && names.length < words.length && spellsOptions(command, words)
}

const shortName = 3

/** A short name has to stand for itself. A long one may be put together from pieces: `'g'+'it'`. */
function isIn(text: string, squeezed: string, name: string): boolean {
  if (name.length >= shortName) return squeezed.includes(name.replace(/[^a-z\d]/g, ''))
  const escaped = name.replace(/[^\w]/g, '\\$&')
  return new RegExp(`(?:^|[^a-z\\d])(?:-[a-z])?${escaped}(?:[^a-z\\d]|$)`).test(text)
}

/** `-rf`, `-fr`, `-r -f` and `--recursive --force` may mean the same. */
function spellsOptions({ words }: ShellCommand, pattern: readonly string[]): boolean {
  const values = words.map(word => word.value)
  const letters = (list: readonly string[]) =>
    new Set(
      list
        .filter(word => /^-/.test(word))
        .flatMap(word => (word.startsWith('--') ? [word[2]] : [...word.slice(1)])),
    )
  const given = letters(values)
  const isInOrder = pattern
    .filter(word => !word.startsWith('-'))
    .every((word, at) => values.filter(value => !value.startsWith('-'))[at]?.startsWith(word))
  return isInOrder && [...letters(pattern)].every(letter => given.has(letter))
}
