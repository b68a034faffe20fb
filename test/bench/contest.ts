import type { Figure, Measured } from './outcome.ts'
import { isUndecided, type Pair } from './statistics.ts'

/** Two things to measure beside each other; each call is one measurement. */
export interface Contest {
  subject(): Promise<number>
  floor(): Promise<number>
  atMost?: number
  /** What else was seen on the way. */
  figures?(): Figure[]
}

export interface Effort {
  rounds: number
  /** As long as the limit lies within the noise, up to so many times the rounds are run, and no longer than this. */
  mostFold: number
  budgetMs: number
}

/** Interleaved, the order turned about each time, after one round that does not count. */
export async function hold(contest: Contest, atMost: number | null, effort: Effort): Promise<Measured> {
  const limit = contest.atMost ?? atMost
  const deadlineMs = performance.now() + effort.budgetMs
  const pairs: Pair[] = []
  const mayGoOn = () => pairs.length < effort.rounds * effort.mostFold && performance.now() < deadlineMs
  await oneRound(contest, true)
  while (pairs.length < effort.rounds || (isUndecided(pairs, limit) && mayGoOn())) {
    pairs.push(await oneRound(contest, pairs.length % 2 === 0))
  }
  return { pairs, figures: contest.figures?.() ?? [], ...(limit === null ? {} : { atMost: limit }) }
}

async function oneRound({ subject, floor }: Contest, subjectFirst: boolean): Promise<Pair> {
  if (subjectFirst) return { subject: await subject(), floor: await floor() }
  const before = await floor()
  return { subject: await subject(), floor: before }
}
