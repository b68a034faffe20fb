import type { Style } from './colour.ts'
import type { Output } from './output.ts'
import { padEnd, textWidth, truncate } from './text.ts'

export interface Column {
  title: string
  cells: readonly string[]
  /** Whether this column is cut before the others on a narrow terminal. */
  shrinks?: boolean
  /** Whether this column is cut only after all others. */
  isWhole?: boolean
  /** Whether this column is left out if the others would have to be cut for it. */
  isOptional?: boolean
  /** The colour of the cell in a row. */
  style?: (row: number) => Style | undefined
}

const gap = '  '
const comfortableWidth = 12
const leastWidth = 4
const leastTitleWidth = 3

/** Prints a table that fits the width of a terminal. Elsewhere nothing is cut. Empty columns are left out. */
export function printTable(out: Output, columns: readonly Column[]): void {
  const available = out.isTerminal ? out.columns : Number.POSITIVE_INFINITY
  const filled = columns.filter(column => column.cells.some(cell => cell !== ''))
  const fits = leastComfortable(filled) <= available
  const shown = filled.filter(({ isOptional }) => fits || !isOptional)
  const widths = fittedWidths(shown, available)
  const print = (cells: readonly string[]) => out.line(cells.join(gap).trimEnd())
  print(
    shown.map((column, index) =>
      out.paint('dim', cell(column.title, widths[index]!, index === shown.length - 1)),
    ),
  )
  const rows = shown[0]?.cells.length ?? 0
  for (let row = 0; row < rows; row++) {
    print(
      shown.map((column, index) => {
        const text = cell(column.cells[row] ?? '', widths[index]!, index === shown.length - 1)
        const style = column.style?.(row)
        return style ? out.paint(style, text) : text
      }),
    )
  }
}

/** The width of a table in which only columns that shrink are cut, and not much. */
function leastComfortable(columns: readonly Column[]): number {
  const widths = columns.map(({ title, cells, shrinks }) => {
    const widest = [title, ...cells].reduce((most, text) => Math.max(most, textWidth(text)), 0)
    return shrinks ? Math.min(widest, comfortableWidth) : widest
  })
  return widths.reduce((sum, width) => sum + width, 0) + gap.length * (columns.length - 1)
}

function cell(text: string, width: number, isLast: boolean): string {
  const cut = truncate(text, width)
  return isLast ? cut : padEnd(cut, width)
}

/** Narrows the widest column by one until the table fits: first only columns that shrink, in the end all of them. */
function fittedWidths(columns: readonly Column[], available: number): number[] {
  const needed = columns.map(({ cells }) =>
    cells.reduce((widest, cell) => Math.max(widest, textWidth(cell)), 0),
  )
  const widths = columns.map(({ title }, index) => Math.max(textWidth(title), needed[index]!))
  const all = [...columns.keys()]
  const shrinking = all.filter(index => columns[index]!.shrinks)
  const wholeOr = (width: number) => (index: number) => (columns[index]!.isWhole ? needed[index]! : width)
  const steps: [candidates: number[], floor: (index: number) => number][] = [
    [shrinking, () => comfortableWidth],
    [all, wholeOr(comfortableWidth)],
    [all, index => Math.max(needed[index]!, leastTitleWidth)],
    [shrinking, () => leastWidth],
    [all, wholeOr(leastWidth)],
    [all, () => leastWidth],
  ]
  let excess = widths.reduce((sum, width) => sum + width, 0) + gap.length * (columns.length - 1) - available
  for (const [candidates, floor] of steps) {
    for (; excess > 0; excess--) {
      const [widest] = candidates
        .filter(index => widths[index]! > floor(index))
        .sort((a, b) => widths[b]! - widths[a]!)
      if (widest === undefined) break
      widths[widest]!--
    }
  }
  return widths
}
