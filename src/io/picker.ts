import type { Context } from '../context.ts'
import { Cancelled } from '../errors.ts'
import { search } from './prompt.ts'
import { cleanText, padEnd, textWidth } from './text.ts'

export interface PickRow<T> {
  value: T
  /** Columns, shown side by side and searched together. */
  cells: readonly string[]
}

const fzfCancelled = 130
const fzfNoMatch = 1

/** Lets the user pick one of the rows, with fzf or, if fzf is not installed, with an inquirer search prompt. */
export async function pick<T>(context: Context, prompt: string, rows: readonly PickRow<T>[]): Promise<T> {
  const labels = alignCells(rows.map(row => row.cells.map(cleanText)))
  const index = pickWithFzf(context, prompt, labels) ?? (await pickWithInquirer(context, prompt, labels))
  return rows[index]!.value
}

/** Returns null if fzf is missing or fails. */
function pickWithFzf(context: Context, prompt: string, labels: readonly string[]): number | null {
  const answer = context.exec.capture(
    'fzf',
    ['--delimiter=\t', '--with-nth=2..', '--no-multi', '--reverse', `--prompt=${prompt} `],
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

function pickWithInquirer(context: Context, prompt: string, labels: readonly string[]): Promise<number> {
  return search(
    context,
    prompt,
    labels.map((label, index) => ({ name: label, value: index })),
  )
}

export function alignCells(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const cells of rows) {
    cells.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, textWidth(cell))
    })
  }
  return rows.map(cells =>
    cells
      .map((cell, column) => padEnd(cell, widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}
