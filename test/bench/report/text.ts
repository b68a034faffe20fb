import type { Figure, Outcome } from '../outcome.ts'

export function amount(value: number): string {
  if (value === 0 || Number.isInteger(value)) return String(value)
  if (value >= 100) return value.toFixed(0)
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

export function times(value: number): string {
  return `${value.toFixed(2)} ×`
}

export function figureText({ label, value, unit, atMost }: Figure): string {
  const measured = [label, amount(value), unit].filter(word => word !== '').join(' ')
  return atMost === null ? measured : `${measured} (at most ${amount(atMost)})`
}

const words = { held: 'held', missed: 'MISSED', shown: '' }

/** One line for a terminal, printed as soon as the row is measured. */
export function outcomeLine(outcome: Outcome): string {
  const { row, subject, floor, ratio, interval, atMost, rounds, figures, verdict } = outcome
  const compared =
    ratio === null
      ? []
      : [
          `${amount(subject!)} / ${amount(floor!)} ${row.unit}`,
          `${times(ratio)} [${interval!.low.toFixed(2)}–${interval!.high.toFixed(2)}]`,
          ...(atMost === null ? [] : [`at most ${atMost}`]),
          `${rounds} rounds`,
        ]
  const parts = [...compared, ...figures.map(figureText)]
  return [row.name.padEnd(14), words[verdict].padEnd(7), parts.join('  ')].join(' ').trimEnd()
}
