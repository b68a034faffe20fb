import { indented, padEnd, textWidth, wrap } from '../../io/text.ts'
import type { Block, Rows } from './topic.ts'

const widest = 100
const gap = 2
/** With less than this beside the terms, meanings stand below them. */
const narrowestMeaning = 28

/** The blocks as lines that fit, with an empty one between them. */
export function render(blocks: readonly Block[], columns: number): string {
  const width = Math.min(columns, widest)
  return blocks.map(block => linesOf(block, width).join('\n')).join('\n\n')
}

function linesOf(block: Block, width: number): string[] {
  if (typeof block === 'string') return wrap(block, width)
  return 'lines' in block ? block.lines.map(line => `  ${line}`) : rowLines(block.rows, width)
}

export function rowLines(rows: Rows, width: number): string[] {
  const terms = Math.max(...rows.map(([term]) => textWidth(term)))
  const indent = gap + terms + gap
  const isBelow = width - indent < narrowestMeaning
  return rows.flatMap(([term, meaning]) => {
    if (isBelow) return [`  ${term}`, ...indented(meaning, width, 2 * gap + gap)]
    const [first = '', ...rest] = indented(meaning, width, indent)
    return [`  ${padEnd(term, terms)}  ${first.trimStart()}`, ...rest]
  })
}
