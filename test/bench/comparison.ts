import type { Box } from './box.ts'
import type { Row } from './rows.ts'

/** How one row is measured, in a box of its own. */
export type Case =
  | { prepare(box: Box): Comparison | Promise<Comparison> }
  | { measureFigures(box: Box): Figure[] | Promise<Figure[]> }

/** Two things that are measured in turn. Each call is one measurement. */
export interface Comparison {
  subject(): Promise<number>
  floor(): Promise<number>
  /** Replaces the row's own limit where the machine decides what can be expected. */
  atMost?: number
  /** Other numbers that were collected along the way. */
  figures?(): Figure[]
}

/** A number that stands alone. Without a limit it is only reported. */
export interface Figure {
  label: string
  value: number
  unit: string
  atMost: number | null
}

/** One round: a measurement of agenc and one of the floor, right after each other. */
export interface Pair {
  subject: number
  floor: number
}

export interface Measured {
  pairs: Pair[]
  figures: Figure[]
  atMost?: number
}

export interface Effort {
  rounds: number
  /** While the result is undecided, up to this many times `rounds` are run, until the budget is spent. */
  maxFactor: number
  budgetMs: number
}

/** Runs the rounds, alternating which side goes first, after one warm-up round that does not count. */
export async function compare(
  comparison: Comparison,
  atMost: number | null,
  effort: Effort,
): Promise<Measured> {
  const limit = comparison.atMost ?? atMost
  const deadlineMs = performance.now() + effort.budgetMs
  const pairs: Pair[] = []
  const mayContinue = () => pairs.length < effort.rounds * effort.maxFactor && performance.now() < deadlineMs
  await oneRound(comparison, true)
  while (pairs.length < effort.rounds || (isUndecided(pairs, limit) && mayContinue())) {
    pairs.push(await oneRound(comparison, pairs.length % 2 === 0))
  }
  return { pairs, figures: comparison.figures?.() ?? [], ...(limit === null ? {} : { atMost: limit }) }
}

async function oneRound({ subject, floor }: Comparison, subjectFirst: boolean): Promise<Pair> {
  if (subjectFirst) return { subject: await subject(), floor: await floor() }
  const floorValue = await floor()
  return { subject: await subject(), floor: floorValue }
}

export type Verdict = 'met' | 'missed' | 'no limit'

export interface Outcome {
  row: Row
  rounds: number
  subject: number | null
  floor: number | null
  ratio: number | null
  interval: Interval | null
  atMost: number | null
  figures: Figure[]
  verdict: Verdict
}

export function outcomeOf(row: Row, { pairs, figures, atMost = row.atMost ?? undefined }: Measured): Outcome {
  const ratios = ratiosOf(pairs)
  const ratio = ratios.length === 0 ? null : median(ratios)
  const compared = [
    ...(ratio === null ? [] : [{ value: ratio, atMost: atMost ?? null }]),
    ...figures.map(figure => ({ value: figure.value, atMost: figure.atMost })),
  ]
  return {
    row,
    rounds: pairs.length,
    subject: ratio === null ? null : median(pairs.map(({ subject }) => subject)),
    floor: ratio === null ? null : median(pairs.map(({ floor }) => floor)),
    ratio,
    interval: ratio === null ? null : medianInterval(ratios),
    atMost: atMost ?? null,
    figures,
    verdict: verdictOf(compared),
  }
}

function verdictOf(compared: readonly { value: number; atMost: number | null }[]): Verdict {
  const limited = compared.filter(({ atMost }) => atMost !== null)
  if (limited.length === 0) return 'no limit'
  return limited.every(({ value, atMost }) => value <= atMost!) ? 'met' : 'missed'
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

/** Ratios are taken within a round, because a slow moment of the machine slows both sides of it. */
export function ratiosOf(pairs: readonly Pair[]): number[] {
  return pairs.map(({ subject, floor }) => subject / floor)
}

const tailProbability = 0.025

/** The 95 % confidence interval of the median, for any distribution: two of the sorted values. */
export function medianInterval(values: readonly number[]): Interval {
  const sorted = inOrder(values)
  const rank = outerRank(sorted.length)
  return { low: sorted[rank]!, high: sorted[sorted.length - 1 - rank]! }
}

/** How many values to drop at either end. Sums the binomial distribution until it exceeds the tail probability. */
function outerRank(count: number): number {
  let chance = 0.5 ** count
  let sum = chance
  let rank = 0
  while (sum <= tailProbability && rank < (count - 1) / 2) {
    rank++
    chance *= (count - rank + 1) / rank
    sum += chance
  }
  return Math.max(0, rank - 1)
}

/** More rounds would help if the limit lies inside the confidence interval. */
export function isUndecided(pairs: readonly Pair[], atMost: number | null): boolean {
  if (atMost === null) return false
  const { low, high } = medianInterval(ratiosOf(pairs))
  return low <= atMost && atMost < high
}

function inOrder(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b)
}
