import type { Style } from '../io/colour.ts'
import type { Output } from '../io/output.ts'
import { cleanText, indented, padEnd, textWidth } from '../io/text.ts'

export type Status = 'ok' | 'warning' | 'problem'

/** The result of one check. */
export interface Finding {
  check: string
  status: Status
  message: string
  /** How to fix it; null if all is well. */
  remedy: string | null
  /** Fixes it without a risk to the user's work, and returns a description of the fix. */
  fix?: Fix
}

export type Fix = () => string | Promise<string>

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, remedy: null }
}

export function warning(check: string, message: string, remedy: string, fix?: Fix): Finding {
  return { check, status: 'warning', message, remedy, ...(fix ? { fix } : {}) }
}

export function problem(check: string, message: string, remedy: string, fix?: Fix): Finding {
  return { check, status: 'problem', message, remedy, ...(fix ? { fix } : {}) }
}

const styles: Record<Status, Style> = { ok: 'green', warning: 'yellow', problem: 'red' }
const statusWidth = 9
const checkWidth = 20
/** With fewer columns left for it, or for its longest word, a message goes below the name of its check. */
const narrowestMessage = 30
const narrowIndent = 2
const leastRoom = 10

export function printFindings(out: Output, findings: readonly Finding[]): void {
  const columns = out.isTerminal ? out.columns : Number.POSITIVE_INFINITY
  for (const finding of findings) for (const line of linesOf(finding, columns, out)) out.line(line)
}

function linesOf(finding: Finding, columns: number, { paint }: Output): string[] {
  const { check, status, message, remedy } = finding
  const start = `${paint(styles[status], padEnd(status, statusWidth))}${padEnd(check, checkWidth)}`
  const indent = statusWidth + checkWidth
  const texts = [message, ...(remedy === null ? [] : [`-> ${remedy}`])].map(cleanText)
  const longest = Math.max(...texts.flatMap(text => text.split(/\s+/).map(textWidth)))
  const isNarrow = columns - indent < Math.max(narrowestMessage, longest)
  const below = isNarrow ? narrowIndent : indent
  const [first = '', ...rest] = texts.flatMap(text => fitted(text, columns, below))
  return isNarrow ? [start.trimEnd(), first, ...rest] : [`${start}${first.trimStart()}`, ...rest]
}

/** Lines of at most `columns`. A word that is too long for one, such as a path, is broken, after a slash if possible. */
export function fitted(text: string, columns: number, indent = 0): string[] {
  const room = Math.max(columns - indent, leastRoom)
  const words = text.split(/\s+/).flatMap(word => (textWidth(word) > room ? pieces(word, room) : [word]))
  return indented(words.join(' '), columns, indent)
}

function pieces(word: string, room: number): string[] {
  const slash = word.lastIndexOf('/', room - 1)
  const end = slash > 0 ? slash + 1 : room
  const rest = word.slice(end)
  return [word.slice(0, end), ...(textWidth(rest) > room ? pieces(rest, room) : [rest])].filter(Boolean)
}

export function summaryOf(findings: readonly Finding[]): string {
  const count = (status: Status) => findings.filter(finding => finding.status === status).length
  const [problems, warnings] = [count('problem'), count('warning')]
  if (problems === 0 && warnings === 0) return 'All is well.'
  const plural = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`
  return [problems > 0 ? plural(problems, 'problem') : '', warnings > 0 ? plural(warnings, 'warning') : '']
    .filter(Boolean)
    .join(', ')
}
