/** What completion knows of a command: the registry's own data, without what it takes to run it. */
export interface Leaf {
  summary: string
  arguments: readonly { name: string; variadic?: boolean }[]
  options: readonly { flags: string; description: string }[]
}

export interface KnownSetting {
  /** `repos.*.model` stands for one of every repo. */
  key: string
  description: string
  /** The words that it takes, where it takes only certain ones. */
  values: readonly string[]
}

/**
 * Generated into tree.json by `npm run generate`: at a press of Tab, loading a command to learn its options
 * would take longer than everything else.
 */
export interface Tree {
  nouns: Record<string, { summary: string; verbs: Record<string, Leaf> }>
  topLevel: Record<string, Leaf>
  topics: Record<string, { summary: string }>
  settings: readonly KnownSetting[]
}

export interface Candidate {
  value: string
  description: string
}

/** `dirs`: the shell itself knows best what stands on the disk. */
export type Answer = readonly Candidate[] | 'dirs'

export const nothing: Answer = []
