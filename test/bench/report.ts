import type { Figure, Outcome } from './comparison.ts'
import { type Machine, machineLines } from './machine.ts'

function amount(value: number): string {
  if (Number.isInteger(value)) return String(value)
  if (value >= 100) return value.toFixed(0)
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

function times(value: number): string {
  return `${value.toFixed(2)} ×`
}

function figureText({ label, value, unit, atMost }: Figure): string {
  const measured = `${label}: ${amount(value)}${unit === '' ? '' : ` ${unit}`}`
  return atMost === null ? measured : `${measured} (at most ${amount(atMost)})`
}

/** One line for a terminal, printed as soon as the row has been measured. */
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
  const word = { met: 'met', missed: 'MISSED', 'no limit': '' }[verdict]
  const parts = [...compared, ...figures.map(figureText)]
  return [row.name.padEnd(14), word.padEnd(7), parts.join('  ')].join(' ').trimEnd()
}

/** docs/benchmarks.md */
export function benchmarksPage(machine: Machine, outcomes: readonly Outcome[]): string {
  return `# Benchmarks

Each row measures agenc and, right beside it, a floor: the least that any program would need for the same job. The
limit is a multiple of the floor, so it means the same on a fast machine and on a slow one.

\`npm run bench -- --write\` wrote this page on ${machine.date}; do not edit it. \`npm run bench -- --check\` fails if a
limit is missed.

${machineLines(machine)
  .map(line => `- ${line}`)
  .join('\n')}

![Each ratio and its limit](benchmarks.svg)

| measured | median | floor | median | ratio | at most | limit met |
|---|---|---|---|---|---|---|
${outcomes.map(tableRow).join('\n')}

## How it is measured

- Each row has its own home, agenc home and tmux server. \`NODE_EXTRA_CA_CERTS\` is unset, because Node would parse the
  certificates at every start.
- agenc and the floor take turns, after one warm-up round that does not count. The ratio is the median of the ratios
  of all rounds, because a slow moment of the machine slows both sides of a round. Below the ratio is its 95 %
  confidence interval.
- While the limit lies inside that interval, more rounds are run, up to four times as many.
- Programs are timed from start to end, and their output is read through a pipe. Key presses are timed in a real tmux
  client, from the last key until five rows of the picker are on the screen.
- The plain script for 1,000 missions reads all rows with the same SQLite library as agenc, checks the process ids,
  asks tmux for the windows and prints the same JSON, byte for byte. It has no cache and reads no settings.
- A hook event is timed until the wrapper has stored it. Claude continues before that.
- Claude is a small script, because the table shows what agenc itself costs. A mission counts as started when that
  script runs. Another mission is running at that time, as in any session in use.
- A working copy is timed around the function that makes it, in a process of its own.
- The CPU time of idle wrappers comes from the kernel, in nanoseconds. A program named \`tmux\`, first on PATH, counts
  calls to tmux. Files and records are compared before and after.
- The memory of a wrapper includes the shell that guards it, but not Claude.
- With 10, 100 and 1,000 missions, ten are running, each in a window.
- \`agenc tmux kill\` has no limit: thirty real Claudes take seconds to end, whichever program ends them.
`
}

function tableRow(outcome: Outcome): string {
  const { row, subject, floor, ratio, interval, atMost, rounds, figures, verdict } = outcome
  const more = figures.map(figureText)
  const cells =
    ratio === null
      ? [row.what, more.join('<br>'), row.floor ?? '–', '', '', '']
      : [
          row.what,
          [`${amount(subject!)} ${row.unit}`, ...more].join('<br>'),
          row.floor ?? '–',
          `${amount(floor!)} ${row.unit}`,
          `${times(ratio)}<br>${interval!.low.toFixed(2)}–${interval!.high.toFixed(2)}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`,
          atMost === null ? '' : `${atMost} ×`,
        ]
  const word = { met: 'yes', missed: '**no**', 'no limit': '' }[verdict]
  return `| ${[...cells, word].join(' | ')} |`
}

const plot = { width: 900, left: 150, right: 90, top: 50, rowHeight: 26, barHeight: 12 }

/** docs/benchmarks.svg: one horizontal bar per ratio, with a mark at its limit. */
export function ratioPlot(outcomes: readonly Outcome[]): string {
  const compared = outcomes.filter(({ ratio }) => ratio !== null)
  const most =
    1.05 * Math.max(2, ...compared.flatMap(({ interval, atMost }) => [interval!.high, atMost ?? 0]))
  const x = (value: number) => Math.round(plot.left + (value / most) * (plot.width - plot.left - plot.right))
  const height = plot.top + compared.length * plot.rowHeight + 16
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${plot.width} ${height}" width="${plot.width}" height="${height}" role="img" font-family="sans-serif" font-size="12">`,
    '<title>What agenc costs, as a multiple of the floor, and the limit of each row</title>',
    `<rect width="${plot.width}" height="${height}" rx="10" fill="#ffffff"/>`,
    `<text x="${plot.left}" y="18" fill="#444444">multiple of the floor; dark mark: limit, grey line: 95 % confidence interval</text>`,
    ...ticks(most).flatMap(value => tick(x(value), value, height)),
    ...compared.flatMap((outcome, index) => bar(outcome, plot.top + index * plot.rowHeight, x)),
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
    `<line x1="${x}" y1="${plot.top - 8}" x2="${x}" y2="${height - 8}" stroke="${colour}"/>`,
    `<text x="${x}" y="${plot.top - 11}" fill="#666666" font-size="10" text-anchor="middle">${value}</text>`,
  ]
}

function bar(outcome: Outcome, y: number, x: (value: number) => number): string[] {
  const { row, ratio, interval, atMost, verdict } = outcome
  const middle = y + plot.barHeight / 2
  const colour = { met: '#4c9a6a', missed: '#c8553d', 'no limit': '#7a8fb0' }[verdict]
  const limit =
    atMost === null
      ? []
      : [`<rect x="${x(atMost) - 1}" y="${y - 4}" width="3" height="${plot.barHeight + 8}" fill="#222222"/>`]
  const end = Math.max(x(ratio!), x(interval!.high), atMost === null ? 0 : x(atMost))
  return [
    `<text x="${plot.left - 10}" y="${middle + 4}" fill="#222222" text-anchor="end">${row.name}</text>`,
    `<rect x="${x(0)}" y="${y}" width="${x(ratio!) - x(0)}" height="${plot.barHeight}" fill="${colour}"/>`,
    `<line x1="${x(interval!.low)}" y1="${middle}" x2="${x(interval!.high)}" y2="${middle}" stroke="#999999" stroke-width="2"/>`,
    ...limit,
    `<text x="${end + 8}" y="${middle + 4}" fill="#444444">${times(ratio!)}</text>`,
  ]
}
