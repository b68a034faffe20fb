import type { Sample } from './samples.ts'

/** How the keys are written in the words of the tour: `C-b a n`. */
export interface TourKeys {
  prefix: string
  /** Said once, where the prefix is not the one that the user has. */
  remark?: string
}

/** What a demo consists of; prompts are scripts for the stand-in (src/stand-in/script.ts). */
export interface DemoScript {
  keys: TourKeys
  /** By `owner/name`. */
  samples: Record<string, Sample>
  /** Arguments of `agenc mission new`, for the session's first window. */
  first: readonly string[]
  /** And for those that start in the background. */
  others: readonly (readonly string[])[]
  /** Prompts of missions that are started without one: by the name of their repo, or `fork`. */
  unprompted: Record<string, string>
}
