import type { OptionSpec } from '../../cli/command.ts'
import { usageError } from '../../errors.ts'

/** The options of commands that show the work of one turn. */
export const partOptions: readonly OptionSpec[] = [
  { flags: '--last', description: 'only what the latest turn changed' },
  { flags: '--turn <number>', description: 'only what this turn changed' },
]

export function readPart({ last, turn }: { last?: boolean; turn?: string }): {
  last?: boolean
  turn?: number
} {
  if (turn === undefined) return { last }
  if (last) throw usageError('--last and --turn exclude each other', 'Give one or the other.')
  const number = Number(turn)
  if (!/^\d+$/.test(turn) || number === 0 || !Number.isSafeInteger(number))
    throw usageError(`--turn needs the number of a turn, not ${JSON.stringify(turn)}`, 'The first turn is 1.')
  return { turn: number }
}
