import { defaultConfig, readConfig } from '../../config/read.ts'
import type { Config } from '../../config/schema.ts'
import type { Context } from '../../context.ts'
import { indented, padEnd, textWidth, wrap } from '../../io/text.ts'
import type { Block, Rows, Topic } from './topics.ts'

const maxColumns = 80
const gap = 2
/** If less than this is left beside the terms, meanings go below them. */
const minMeaningColumns = 28

export async function printTopic(context: Context, { text }: Topic): Promise<void> {
  const columns = Math.min(context.out.columns, maxColumns)
  const blocks = text(await configOrDefault(context)).map(block => linesOf(block, columns).join('\n'))
  context.out.line(blocks.join('\n\n'))
}

/** Help must work with a broken config.json: that is when it is needed most. */
async function configOrDefault({ paths }: Context): Promise<Config> {
  try {
    return await readConfig(paths)
  } catch {
    return defaultConfig
  }
}

function linesOf(block: Block, columns: number): string[] {
  if (typeof block === 'string') return wrap(block, columns)
  return 'lines' in block ? block.lines.map(line => `  ${line}`) : rowLines(block.rows, columns)
}

function rowLines(rows: Rows, columns: number): string[] {
  const termColumns = Math.max(...rows.map(([term]) => textWidth(term)))
  const indent = gap + termColumns + gap
  const isBelow = columns - indent < minMeaningColumns
  return rows.flatMap(([term, meaning]) => {
    if (isBelow) return [`  ${term}`, ...indented(meaning, columns, 3 * gap)]
    const [first = '', ...rest] = indented(meaning, columns, indent)
    return [`  ${padEnd(term, termColumns)}  ${first.trimStart()}`, ...rest]
  })
}
