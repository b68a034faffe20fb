import type { Entry } from '../../src/cli/command.ts'
import { registry } from '../../src/commands/registry.ts'

export interface NamedEntry {
  /** As typed after `agenc`: `mission ls`. */
  words: string
  entry: Entry
}

/** Every command of the program, hidden ones included. */
export const allCommands: readonly NamedEntry[] = [
  ...Object.entries(registry.nouns).flatMap(([noun, { verbs }]) =>
    Object.entries(verbs).map(([verb, entry]) => ({ words: `${noun} ${verb}`, entry })),
  ),
  ...Object.entries(registry.topLevel).map(([words, entry]) => ({ words, entry })),
]
