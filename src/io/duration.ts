import { usageError } from '../errors.ts'

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
/** Node's timers cannot wait longer. */
const longestMs = 2 ** 31 - 1

/** Reads a duration such as `90s`, `30m` or `1h30m` into milliseconds. A bare number counts seconds. */
export function parseDuration(text: string, option: string): number {
  const milliseconds = millisecondsIn(text)
  if (!Number.isNaN(milliseconds)) return milliseconds
  throw usageError(
    `${option} ${JSON.stringify(text)} is not a duration`,
    'Use a number with a unit, such as 90s, 30m or 4h (at most 24d).',
  )
}

function millisecondsIn(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)]
  const isWhole = parts.length > 0 && parts.map(([part]) => part).join('') === text
  const milliseconds = isWhole
    ? parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * unitsMs[unit!]!, 0)
    : /^\d+(\.\d+)?$/.test(text)
      ? Number(text) * 1_000
      : Number.NaN
  const isPossible = milliseconds > 0 && milliseconds <= longestMs
  return isPossible ? Math.max(1, Math.round(milliseconds)) : Number.NaN
}

/** A duration in words that `parseDuration` reads, such as `1h30m`. */
export function durationText(milliseconds: number): string {
  let rest = milliseconds
  const parts = Object.entries(unitsMs)
    .reverse()
    .map(([unit, size]) => {
      const amount = Math.floor(rest / size)
      rest -= amount * size
      return amount === 0 ? '' : `${amount}${unit}`
    })
  return parts.join('') || '0s'
}
