import type { Outcome } from '../outcome.ts'
import { times } from './text.ts'

const width = 900
const left = 150
const right = 90
const rowHeight = 26
const top = 50
const barHeight = 12
const longestLabel = 18

/** Horizontal bars, one a ratio: 1 is the floor, and a mark stands where the limit is. */
export function ratioPlot(outcomes: readonly Outcome[]): string {
  const compared = outcomes.filter(({ ratio }) => ratio !== null)
  const most =
    1.05 * Math.max(2, ...compared.flatMap(({ interval, atMost }) => [interval!.high, atMost ?? 0]))
  const x = (value: number) => Math.round(left + (value / most) * (width - left - right))
  const height = top + compared.length * rowHeight + 16
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    '<title>Cost as a multiple of the floor measured beside it, with the limit of each</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${left}" y="18" fill="#444444">times the floor; the dark mark is the limit, the grey line the spread</text>`,
    ...ticks(most).flatMap(value => tick(x(value), value, height)),
    ...compared.flatMap((outcome, index) => bar(outcome, top + index * rowHeight, x)),
    '</svg>',
  ].join('\n')}\n`
}

function ticks(most: number): number[] {
  const step = most > 8 ? 2 : most > 4 ? 1 : 0.5
  const even = Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step)
  return [...new Set([1, ...even])]
}

function tick(x: number, value: number, height: number): string[] {
  const colour = value === 1 ? '#888888' : '#e4e4e4'
  return [
    `<line x1="${x}" y1="${top - 8}" x2="${x}" y2="${height - 8}" stroke="${colour}"/>`,
    `<text x="${x}" y="${top - 11}" fill="#888888" font-size="10" text-anchor="middle">${value}</text>`,
  ]
}

function bar(outcome: Outcome, y: number, x: (value: number) => number): string[] {
  const { row, ratio, interval, atMost, verdict } = outcome
  const middle = y + barHeight / 2
  const colour = { held: '#4c9a6a', missed: '#c8553d', shown: '#7a8fb0' }[verdict]
  const limit =
    atMost === null
      ? []
      : [`<rect x="${x(atMost) - 1}" y="${y - 4}" width="3" height="${barHeight + 8}" fill="#222222"/>`]
  const end = Math.max(x(ratio!), x(interval!.high), atMost === null ? 0 : x(atMost))
  return [
    `<text x="${left - 10}" y="${middle + 4}" fill="#222222" text-anchor="end">${row.name.slice(0, longestLabel)}</text>`,
    `<rect x="${x(0)}" y="${y}" width="${x(ratio!) - x(0)}" height="${barHeight}" fill="${colour}"/>`,
    `<line x1="${x(interval!.low)}" y1="${middle}" x2="${x(interval!.high)}" y2="${middle}" stroke="#999999" stroke-width="2"/>`,
    ...limit,
    `<text x="${end + 8}" y="${middle + 4}" fill="#444444">${times(ratio!)}</text>`,
  ]
}
