import { type Machine, machineLines } from '../machine.ts'
import type { Outcome } from '../outcome.ts'
import { amount, figureText, times } from './text.ts'

const verdicts = { held: 'yes', missed: '**no**', shown: '' }

/** docs/benchmarks.md: written by the run that measured it. */
export function benchmarksPage(machine: Machine, outcomes: readonly Outcome[]): string {
  return `# Benchmarks

Written by \`npm run bench -- --write\` on ${machine.date}; do not edit. \`npm run bench -- --check\` fails when a limit is missed.

${machineLines(machine)
  .map(line => `- ${line}`)
  .join('\n')}

![Each ratio beside its limit](benchmarks.svg)

| what | median | floor measured beside it | median | ratio | at most | held |
|---|---|---|---|---|---|---|
${outcomes.map(tableRow).join('\n')}
${explanations(outcomes)}
## How it is measured

- Each row has a home, an agenc home and a tmux server of its own; \`NODE_EXTRA_CA_CERTS\` is unset, because Node parses certificates at every start otherwise.
- What is measured and its floor take turns, one round each, the first of them not counted. The ratio is the median of the ratios of the rounds, so that what slows the machine for a while slows both; below it stands where the true median lies with 95 %.
- While the limit lies within that range there are more rounds, up to four times as many.
- Programs are timed from their start to their end, their output read through a pipe. Key presses are timed from the last key in a real client in a terminal until five rows of the picker are on its screen.
- A hook's event is timed until the wrapper has stored it; Claude goes on before that.
- Claude is a small script: agenc's own cost is measured. A mission starts when that script runs, beside another one, as in every session that is used.
- A working copy is timed around the function that makes it, in a process of its own.
- The CPU time of idle wrappers is the kernel's count to the nanosecond; the tmux calls are counted by a program of that name before the real one; files and records are compared before and after.
- The memory of a wrapper includes the shell that guards it, without its Claude.
- At 10, 100 and 1,000 missions ten run, each with a window.
`
}

function explanations(outcomes: readonly Outcome[]): string {
  const missed = outcomes.filter(isExplained)
  if (missed.length === 0) return ''
  return ['\n## Where a limit is missed', ...missed.map(explanation), ''].join('\n\n').slice(0, -1)
}

function isExplained({ row, verdict }: Outcome): boolean {
  return verdict === 'missed' && row.why !== undefined
}

function explanation({ row, figures }: Outcome): string {
  return [`**${row.name}.** ${row.why}`, '', ...figures.map(figure => `- ${figureText(figure)}`)].join('\n')
}

function tableRow(outcome: Outcome): string {
  const { row, subject, floor, ratio, interval, atMost, rounds, figures, verdict } = outcome
  const more = isExplained(outcome) ? '' : figures.map(figureText).join('<br>')
  const cells =
    ratio === null
      ? [row.what, more, row.floor ?? '–', '', '', '']
      : [
          row.what,
          [`${amount(subject!)} ${row.unit}`, more].filter(text => text !== '').join('<br>'),
          row.floor ?? '–',
          `${amount(floor!)} ${row.unit}`,
          `${times(ratio)}<br>${interval!.low.toFixed(2)}–${interval!.high.toFixed(2)}, ${rounds} rounds`,
          atMost === null ? '' : `${atMost} ×`,
        ]
  return `| ${[...cells, verdicts[verdict]].join(' | ')} |`
}
