import { innerSpace, unknownText } from '../glob.ts'
import type { ShellWord } from './part.ts'

/** Where nobody but root can put a program. */
const systemPrograms = /^\/(?:usr\/)?s?bin\/([^/]+)$/

export function isKnown(word: ShellWord): boolean {
  return !word.value.includes(unknownText) && word.doubt === null
}

export function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1)
}

/** The name a rule would use, only where the path can mean nothing else. */
export function plainProgram(program: string): string {
  return systemPrograms.exec(program)?.[1] ?? program
}

/** A command as allow rules see it: one space between words, none that a pattern could match inside one. */
export function allowText(words: readonly ShellWord[]): string {
  const [program, ...rest] = words.map(item => item.value.replace(/\s/g, innerSpace))
  return program === undefined ? '' : [plainProgram(program), ...rest].join(' ')
}

/** A command may be called `constructor`. */
export function lookUp<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
