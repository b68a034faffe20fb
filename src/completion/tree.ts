/** What completion needs to know of a command; the registry's own entries are this and more. */
export interface Spec {
  arguments?: readonly { name: string; variadic?: boolean }[]
  options?: readonly { flags: string; description: string; hidden?: boolean }[]
}

export interface Leaf {
  summary: string
  hidden?: boolean
  load: () => Promise<{ default: Spec }>
}

export interface Tree {
  nouns: Record<string, { summary: string; verbs: Record<string, Leaf> }>
  topLevel: Record<string, Leaf>
  topics: Record<string, { summary: string }>
}

export interface Candidate {
  value: string
  description: string
}

/** `dirs`: the shell itself knows best what stands on the disk. */
export type Answer = readonly Candidate[] | 'dirs'

export const nothing: Answer = []
