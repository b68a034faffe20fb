import { isListed, knownProgram, writesFiles } from './known-programs.ts'
import { isLiteralWord, type ShellCommand } from './shell-command.ts'
import type { Suspect } from './suspects.ts'

/** Returns the text in which the words of a denied command are suspicious: everything that is not proven to be data. */
export function suspiciousText(source: string, isProven: boolean, suspects: readonly Suspect[]): string {
  const commands = suspects.map(({ command }) => command)
  const mayRunWhatItWrites = commands.some(writesFile) && commands.some(mayRunFiles)
  const texts = suspects.filter(({ isHarmless }) => !isHarmless).map(({ command }) => textOf(command))
  return withoutQuotes(isProven && !mayRunWhatItWrites ? texts.join(' ') : [source, ...texts].join(' '))
}

export function textOf({ text, words, assignments, input }: ShellCommand): string {
  const values = [...assignments, ...words].map(word => word.value)
  return withoutQuotes([text, ...values, typeof input === 'object' ? input.text : ''].join(' '))
}

function writesFile({ words, writes }: ShellCommand): boolean {
  return writes.length > 0 || writesFiles(words)
}

/** Even git runs files of the project: its hooks. */
function mayRunFiles({ words }: ShellCommand): boolean {
  const program = words[0]?.value ?? ''
  return program !== '' && program !== 'cd' && !knownProgram(program)?.inert && !writesFiles(words)
}

/** A file that gets a new name may be any program: `cp /bin/g?t x; ./x push`. */
export function runsUnknownCopy(commands: readonly ShellCommand[]): boolean {
  const copies = commands.filter(({ words }) => writesFiles(words) && !words.every(isLiteralWord))
  return copies.length > 0 && commands.some(({ words }) => words[0] && !isListed(words[0].value))
}

/** Undoes quotes, escapes and braces, which can hide a word from a reader but not from the shell. */
function withoutQuotes(text: string): string {
  return text
    .replace(/\\\n/g, '')
    .replace(/\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|([0-7]{1,3}))/gi, (all, hex, unicode, octal) => {
      const code = octal ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? unicode, 16)
      return code > 31 && code < 127 ? String.fromCharCode(code) : all
    })
    .replace(/["'\\{}`$]/g, '')
}

/** True if a text contains all words of a pattern, in any order. */
export function mayContain(text: string, pattern: string): boolean {
  const names = wordsOf(pattern).filter(word => !word.startsWith('-'))
  if (names.length === 0 || text === '') return false
  const lower = text.toLowerCase()
  const squeezed = lower.replace(/[^a-z\d]/g, '')
  return names.every(name => isIn(lower, squeezed, name.toLowerCase()))
}

function wordsOf(pattern: string): string[] {
  return pattern.split(/[\s*?]+/).filter(word => word !== '')
}

const shortName = 3

/** A short name has to stand for itself. A long one may be put together from pieces: `'g'+'it'`. */
function isIn(text: string, squeezed: string, name: string): boolean {
  if (name.length >= shortName) return squeezed.includes(name.replace(/[^a-z\d]/g, ''))
  const escaped = name.replace(/[^\w]/g, '\\$&')
  return new RegExp(`(?:^|[^a-z\\d])(?:-[a-z])?${escaped}(?:[^a-z\\d]|$)`).test(text)
}

/** True if the command may spell the options of a pattern differently: `-rf`, `-fr`, `-r -f`, `--recursive --force`. */
export function spellsOptions({ words }: ShellCommand, pattern: string): boolean {
  const wanted = splitOptions(wordsOf(pattern))
  const given = splitOptions(words.map(word => word.value))
  const isInOrder = wanted.operands.every((word, at) => given.operands[at]?.startsWith(word))
  return (
    wanted.letters.length > 0 && isInOrder && wanted.letters.every(letter => given.letters.includes(letter))
  )
}

function splitOptions(words: readonly string[]): { operands: string[]; letters: string[] } {
  const options = words.filter(word => word.startsWith('-')).map(word => word.toLowerCase())
  return {
    operands: words.filter(word => !word.startsWith('-')),
    letters: options.flatMap(word => (word.startsWith('--') ? word.slice(2, 3) : [...word.slice(1)])),
  }
}
