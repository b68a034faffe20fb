import type { Style } from './colour.ts'
import type { Output } from './output.ts'
import { padEnd, textWidth, truncate } from './text.ts'

export interface Column {
  title: string
  cells: readonly string[]
  /** Cut before the others when the terminal is narrow. */
  shrinks?: boolean
  /** Colour of the cell in that row. */
  style?: (row: number) => Style | undefined
}

const gap = '  '
const narrowest = 4

/** On a terminal the table fits its width; elsewhere nothing is cut. */
export function printTable(out: Output, columns: readonly Column[]): void {
  const shown = columns.filter(column => column.title !== '' || column.cells.some(cell => cell !== ''))
  const widths = fittedWidths(shown, out.isTerminal ? out.columns : Number.POSITIVE_INFINITY)
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

function cell(text: string, width: number, isLast: boolean): string {
  const cut = truncate(text, width)
  return isLast ? cut : padEnd(cut, width)
}

/** Always from the widest: first of the columns that shrink, then of all of them. */
function fittedWidths(columns: readonly Column[], available: number): number[] {
  const widths = columns.map(column => Math.max(textWidth(column.title), ...column.cells.map(textWidth)))
  let excess = widths.reduce((sum, width) => sum + width, 0) + gap.length * (columns.length - 1) - available
  const indexes = [...columns.keys()]
  for (const candidates of [indexes.filter(index => columns[index]!.shrinks), indexes]) {
    for (; excess > 0; excess--) {
      const widest = candidates.reduce((a, b) => (widths[b]! > widths[a]! ? b : a), candidates[0] ?? 0)
      if (candidates.length === 0 || widths[widest]! <= narrowest) break
      widths[widest]!--
    }
  }
  return widths
}
