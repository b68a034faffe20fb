/** A word of a command, after quotes and backslashes. */
export interface ShellWord {
  /** As bash will see it; `unknownText` stands where only bash will know. */
  value: string
  /** The same with braces expanded and variables that this very script sets filled in: for denying. */
  resolved: string
  /** What it may turn out to be: `unknownWord` where it stays one word whatever the shell fills in. */
  possible: string
  /** Only file names are unknown, and none of them can look like an option: `src/*.ts`. */
  pathsOnly: boolean
  /** Why no rule may wave this word through, if so. */
  doubt: string | null
}

/** A reason why a glob that matches the command is not enough to allow it. */
export interface Concern {
  why: string
  /** The word that raises it, as bash will see it. */
  word: string
  /** A rule covers it by saying one of these literally; with none, only by spelling out the command. */
  names: string[]
  /** The word can make the program run another one, perhaps given in it. */
  runs?: boolean
  /** Nothing covers it but a rule for every use of Bash. */
  certainAsk?: boolean
}

interface Repeatable {
  /** In a loop, a function or a trap: what stands behind it may already have run. */
  again?: boolean
}

export interface SimpleCommand extends Repeatable {
  kind: 'command'
  /** As written. */
  text: string
  assignments: ShellWord[]
  words: ShellWord[]
  /** A pipe, a file or a here-document is its standard input. */
  fed: boolean
  /** The command around it, when a wrapper such as sudo runs it: a rule may name both at once. */
  outer?: { text: string; upTo: number }
  concerns: Concern[]
  /** Runs the command it is given and does nothing else: needs no rule of its own. */
  transparent?: boolean
}

export interface FileUse extends Repeatable {
  kind: 'read' | 'write'
  text: string
  target: ShellWord
}

/** Something that cannot be read with certainty. */
export interface Opaque extends Repeatable {
  kind: 'opaque'
  text: string
  why: string
  /** It may run commands that are not among the other parts. */
  hides?: boolean
}

export type Part = SimpleCommand | FileUse | Opaque

export function word(value: string): ShellWord {
  return { value, resolved: value, possible: value, pathsOnly: false, doubt: null }
}
