import { usageError } from '../errors.ts'
import { isObject } from '../io/json.ts'

/** One mission of `mission new --foreach`, as its line describes it. */
export interface Order {
  /** The number of the line, from 1 on. */
  line: number
  prompt: string
  repo?: string
  name?: string
  mode?: string
  model?: string
}

const keys = ['prompt', 'repo', 'name', 'mode', 'model'] as const
const mostProblems = 10

/** A line that is an object in JSON sets more than the prompt. Empty lines are skipped. */
export function parseOrders(text: string): Order[] {
  const lines = text.split(/\r?\n/).map((content, index) => ({ content: content.trim(), line: index + 1 }))
  const filled = lines.filter(({ content }) => content !== '')
  const orders = filled
    .map(({ content, line }) =>
      content.startsWith('{') ? parseObject(content, line) : { line, prompt: content },
    )
    .map(order =>
      typeof order === 'string' || isPrompt(order) ? order : `line ${order.line}: there is no prompt`,
    )
  refuseProblems(
    orders.flatMap(order => (typeof order === 'string' ? [order] : [])),
    orders.length,
  )
  return orders.filter(order => typeof order !== 'string')
}

/** Elsewhere `-` stands for stdin. */
function isPrompt({ prompt }: Order): boolean {
  return !['', '-'].includes(prompt.trim())
}

/** Returns a text if the line is wrong. */
function parseObject(content: string, line: number): Order | string {
  let data: unknown
  try {
    data = JSON.parse(content)
  } catch (error) {
    return `line ${line}: not valid JSON (${(error as Error).message})`
  }
  if (!isObject(data)) return `line ${line}: not an object`
  const strange = Object.keys(data).find(key => !(keys as readonly string[]).includes(key))
  if (strange !== undefined)
    return `line ${line}: unknown key ${JSON.stringify(strange)}; use ${keys.join(', ')}`
  const wrong = keys.find(
    key => data[key] !== undefined && (typeof data[key] !== 'string' || data[key] === ''),
  )
  if (wrong !== undefined) return `line ${line}: ${wrong} is not a text`
  if (data.prompt === undefined) return `line ${line}: there is no prompt`
  return { ...(data as Omit<Order, 'line'>), line }
}

/** Nothing starts while any line is wrong. */
export function refuseProblems(problems: readonly string[], count: number): void {
  if (problems.length === 0 && count > 0) return
  if (count === 0) throw usageError('--foreach: there is no line', 'Give one prompt per line.')
  const more = problems.length > mostProblems ? [`… and ${problems.length - mostProblems} more`] : []
  throw usageError(
    `--foreach: ${problems.length} of ${count} lines ${problems.length === 1 ? 'is' : 'are'} wrong, so no mission was started`,
    [...problems.slice(0, mostProblems), ...more].join('\n'),
  )
}
