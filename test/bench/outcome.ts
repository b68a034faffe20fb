import type { Row } from './rows.ts'
import { type Interval, median, medianInterval, type Pair, ratiosOf } from './statistics.ts'

/** A number with a limit of its own, or without one: then it is only shown. */
export interface Figure {
  label: string
  value: number
  unit: string
  atMost: number | null
}

/** What a case brings back: rounds beside a floor, or figures that stand alone. */
export interface Measured {
  pairs: Pair[]
  figures: Figure[]
  /** Where the conditions decide it, in place of the row's own. */
  atMost?: number
}

export type Verdict = 'held' | 'missed' | 'shown'

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
  if (limited.length === 0) return 'shown'
  return limited.every(({ value, atMost }) => value <= atMost!) ? 'held' : 'missed'
}
