import { usageError } from '../../errors.ts'

export function parseMax(text: string): number {
  const max = Number(text)
  if (/^\d+$/.test(text) && max >= 1 && max <= 10_000) return max
  throw usageError(`--max ${JSON.stringify(text)} is not a number of rounds`, 'Use a number from 1 to 10000.')
}
