import type { Approve } from '../db/missions.ts'
import { usageError } from '../errors.ts'

const words: readonly string[] = ['ask', 'rules', 'all'] satisfies Approve[]

/** Parses the value of `--approve`. */
export function parseApprove(word: string): Approve {
  if (words.includes(word)) return word as Approve
  throw usageError(`unknown value for --approve: ${JSON.stringify(word)}`, `Use one of ${words.join(', ')}.`)
}
