import { unknownText } from '../glob.ts'

/** A word of a command, with quotes and backslashes removed. */
export interface ShellWord {
  /** The text the program will see, with `unknownText` for every piece that only the shell will know. */
  value: string
  /** The part of the value before anything that a shell may expand; all of it if nothing may. */
  fixed: string
}

/** One command that a script runs, or may run. */
export interface ShellCommand {
  /** As written in the script. */
  text: string
  /** `NAME=value` words before the program. */
  assignments: ShellWord[]
  words: ShellWord[]
  /** Files that redirections read and write. */
  reads: ShellWord[]
  writes: ShellWord[]
  /** Where its standard input comes from. The text of a here-document is known; that of a pipe or a file is not. */
  input: 'none' | 'unknown' | { text: string }
  /** It is part of a loop, a function or a trap, so commands after it may already have run. */
  mayRepeat: boolean
}

export function literalWord(value: string): ShellWord {
  return { value, fixed: value }
}

/** True if the shell passes the word on as it is. */
export function isLiteralWord({ value, fixed }: ShellWord): boolean {
  return fixed.length === value.length && !value.includes(unknownText)
}

export function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1)
}

/** Ignores inherited properties: a command may be called `constructor`. */
export function lookUp<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

export function setOf(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/))
}
