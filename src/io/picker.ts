import type { Context } from '../context.ts'
import { Cancelled } from '../errors.ts'
import { wantsColour } from './colour.ts'
import { search } from './prompt.ts'
import { cleanText, padEnd, textWidth, truncate } from './text.ts'

export interface PickRow<T> {
  value: T
  /** Columns, shown side by side and searched together. */
  cells: readonly string[]
}

/** For the pointer in front of a row and the scroll bar behind it. */
const marginColumns = 4
const fzfCancelled = 130
const fzfNoMatch = 1

/**
 * Lets the user pick one of the rows, with fzf or, if fzf is not installed, with an inquirer search prompt. The title says
 * what the choice is for.
 */
export async function pick<T>(context: Context, title: string, rows: readonly PickRow<T>[]): Promise<T> {
  const cells = rows.map(row => row.cells.map(cleanText))
  const labels = alignCells(cells, context.err.columns - marginColumns)
  const index =
    pickWithFzf(context, title, labels) ??
    (await pickWithInquirer(
      context,
      title,
      labels.map((label, row) => ({ label, searched: cells[row]!.join(' ') })),
    ))
  return rows[index]!.value
}

/** Returns null if fzf is missing or fails. */
function pickWithFzf(context: Context, title: string, labels: readonly string[]): number | null {
  const answer = context.exec.capture(
    'fzf',
    [
      ...['--delimiter=\t', '--with-nth=2..', '--no-multi', '--reverse', '--prompt=> '],
      ...['--info=inline', '--header-first', `--header=${title}`],
      // fzf itself knows NO_COLOR only since 0.42.
      ...(wantsColour(true, context.env) ? [] : ['--color=bw']),
    ],
    {
      input: labels.map((label, index) => `${index}\t${label}\n`).join(''),
      stderr: 'inherit',
      // The user's own defaults (a preview, --multi, --print-query) would change the answer.
      env: { ...context.env, FZF_DEFAULT_OPTS: '', FZF_DEFAULT_OPTS_FILE: '' },
    },
  )
  if (answer.exitCode === fzfCancelled || answer.exitCode === fzfNoMatch) throw new Cancelled()
  if (answer.exitCode !== 0) return null
  return Number(answer.stdout.split('\t')[0])
}

function pickWithInquirer(
  context: Context,
  title: string,
  rows: readonly { label: string; searched: string }[],
): Promise<number> {
  return search(
    context,
    title,
    rows.map(({ label, searched }, index) => ({ name: label, searched, value: index })),
  )
}

const leastColumns = 4

/** Lays the cells out in columns. The widest column is cut first, so that a long name does not hide what follows it. */
export function alignCells(rows: readonly (readonly string[])[], columns: number): string[] {
  const widths = columnWidths(rows)
  const gaps = 2 * (widths.length - 1)
  while (gaps + widths.reduce((sum, width) => sum + width, 0) > columns) {
    const widest = Math.max(...widths)
    if (widest <= leastColumns) break
    widths[widths.indexOf(widest)] = widest - 1
  }
  return rows.map(cells =>
    cells
      .map((cell, column) => padEnd(truncate(cell, widths[column]!), widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}

function columnWidths(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = []
  for (const cells of rows) {
    cells.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, textWidth(cell))
    })
  }
  return widths
}
