/** One round: what was measured of agenc, and of the floor right beside it. */
export interface Pair {
  subject: number
  floor: number
}

export interface Interval {
  low: number
  high: number
}

export function median(values: readonly number[]): number {
  if (values.length === 0) return Number.NaN
  const sorted = inOrder(values)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Round by round, so that what slows the machine for a while slows both sides. */
export function ratiosOf(pairs: readonly Pair[]): number[] {
  return pairs.map(({ subject, floor }) => subject / floor)
}

const tail = 0.025

/** Where the true median lies with 95 %, whatever the distribution: two of the sorted values. */
export function medianInterval(values: readonly number[]): Interval {
  const sorted = inOrder(values)
  const rank = outerRank(sorted.length)
  return { low: sorted[rank]!, high: sorted[sorted.length - 1 - rank]! }
}

/** How many values may be left out at either end: the chance of so few on one side of the median is below the tail. */
function outerRank(count: number): number {
  let chance = 0.5 ** count
  let sum = chance
  let rank = 0
  while (sum <= tail && rank < (count - 1) / 2) {
    rank++
    chance *= (count - rank + 1) / rank
    sum += chance
  }
  return Math.max(0, rank - 1)
}

/** More rounds would tell: the limit lies within what the median may still be. */
export function isUndecided(pairs: readonly Pair[], atMost: number | null): boolean {
  if (atMost === null) return false
  const { low, high } = medianInterval(ratiosOf(pairs))
  return low <= atMost && atMost < high
}

function inOrder(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b)
}
