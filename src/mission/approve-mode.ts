import type { Approve } from '../db/missions.ts'
import { usageError } from '../errors.ts'

const words: readonly string[] = ['ask', 'rules', 'all'] satisfies Approve[]

/** `--approve` as a user typed it. */
export function parseApprove(word: string): Approve {
  if (words.includes(word)) return word as Approve
  throw usageError(`--approve ${JSON.stringify(word)} is not known`, `Use one of ${words.join(', ')}.`)
}
