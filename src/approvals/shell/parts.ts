import { innerSpace, unknownText } from '../glob.ts'

/** A word of a command, with quotes and backslashes removed. */
export interface ShellWord {
  /** The text bash will see, with `unknownText` for values that only bash will know. */
  value: string
  /** The same text with braces expanded and variables of this script filled in. Only for deny and ask rules. */
  resolved: string
  /** The text it may turn out to be, with `unknownWord` for values that cannot split the word. */
  possible: string
  /** Only file names are unknown, and none of them can look like an option: `src/*.ts`. */
  pathsOnly: boolean
  /** Why no allow rule may cover this word; null if one may. */
  doubt: string | null
}

/** A reason to ask although the glob of an allow rule matches the command. */
export interface Concern {
  reason: string
  /** The word that causes the concern, as bash will see it. */
  word: string
  /** A rule covers the concern if it contains one of these literally. Without any, it must spell out the command. */
  names: string[]
  /** The word can make the program run another program, perhaps one given in the word. */
  runsOthers?: boolean
  /** No rule covers the concern except one that allows every use of Bash. */
  alwaysAsk?: boolean
}

interface Repeatable {
  /** It is part of a loop, a function or a trap, so commands after it may already have run. */
  mayRepeat?: boolean
}

export interface SimpleCommand extends Repeatable {
  kind: 'command'
  /** As written in the script. */
  text: string
  assignments: ShellWord[]
  words: ShellWord[]
  /** Its standard input is a pipe, a file or a here-document. */
  hasStdin: boolean
  /** The whole command of the launcher that runs this one, such as sudo. One rule may name both. */
  outer?: { text: string; prefixLength: number }
  concerns: Concern[]
  /** It only runs the command it is given, so it needs no rule of its own. */
  transparent?: boolean
}

export interface FileUse extends Repeatable {
  kind: 'read' | 'write'
  text: string
  target: ShellWord
}

/** A part of the script that cannot be read with certainty. */
export interface Opaque extends Repeatable {
  kind: 'opaque'
  text: string
  reason: string
  /** It may run commands that are not among the other parts. */
  hidesCommands?: boolean
}

export type Part = SimpleCommand | FileUse | Opaque

export function wordOf(value: string): ShellWord {
  return { value, resolved: value, possible: value, pathsOnly: false, doubt: null }
}

export function isKnown(word: ShellWord): boolean {
  return !word.value.includes(unknownText) && word.doubt === null
}

export function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1)
}

/** Directories that only root can put a program into. */
const systemPrograms = /^\/(?:usr\/)?s?bin\/([^/]+)$/

/** Drops the directory of a program where only root could have put it, so that the bare name means the same program. */
export function plainProgram(program: string): string {
  return systemPrograms.exec(program)?.[1] ?? program
}

/** The text that allow rules are compared with: one space between words, and `innerSpace` inside them. */
export function allowText(words: readonly ShellWord[]): string {
  const [program, ...rest] = words.map(item => item.value.replace(/\s/g, innerSpace))
  return program === undefined ? '' : [plainProgram(program), ...rest].join(' ')
}

/** Ignores inherited properties: a command may be called `constructor`. */
export function lookUp<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
