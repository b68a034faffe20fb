import { isDeepStrictEqual } from 'node:util'
import {
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
  stripComments,
} from 'jsonc-parser'
import { AgencError } from '../errors.ts'

const options = { allowTrailingComma: true }

export interface Edit {
  offset: number
  length: number
  text: string
}

/** The tree, or null for a file with nothing but blanks and comments. Anything else is an error. */
export function parseJsonc(text: string, path: string): Node | null {
  // A byte order mark counts as a blank, so that offsets stay those of the file.
  const unmarked = text.replace(/^\ufeff/, ' ')
  if (stripComments(unmarked).trim() === '') return null
  const errors: ParseError[] = []
  const root = parseTree(unmarked, errors, options)
  const [first] = errors
  if (root && !first) return root
  const where = first ? `: ${printParseErrorCode(first.error)} in line ${lineOf(text, first.offset)}` : ''
  throw invalidFile(`${path} is not valid JSON${where}`)
}

export function invalidFile(message: string): AgencError {
  return new AgencError(message, 'It was left as it is. Mend it or move it away, then run this again.')
}

export function propertyOf(node: Node, name: string): Node | undefined {
  if (node.type !== 'object') return undefined
  return node.children?.find(property => property.children?.[0]?.value === name)?.children?.[1]
}

/** Nothing when it already says the same, however it is laid out. */
export function replaceNode(text: string, node: Node, value: unknown): Edit[] {
  const old: unknown = parse(text.slice(node.offset, node.offset + node.length), [], options)
  if (isDeepStrictEqual(old, value)) return []
  return [
    { offset: node.offset, length: node.length, text: render(text, value, indentAt(text, node.offset)) },
  ]
}

export interface Child {
  /** In an object. */
  name?: string
  value: unknown
}

/**
 * New last children of an array or object. They go after the comments that follow the old last child, so
 * that these stay with what they are about; only the comma goes before them.
 */
export function appendChildren(text: string, parent: Node, children: readonly Child[]): Edit[] {
  if (children.length === 0) return []
  const closing = parent.offset + parent.length - 1
  const place = text.slice(0, closing).trimEnd().length
  const eol = lineEnd(text)
  const outer = indentAt(text, parent.offset)
  const last = parent.children?.at(-1)
  const isSpread = last && lineOf(text, last.offset) > lineOf(text, parent.offset)
  const inner = isSpread ? indentAt(text, last.offset) : outer + indentUnit(text)
  const rows = children.map(({ name, value }) => {
    const key = name === undefined ? '' : `${JSON.stringify(name)}: `
    return `${eol}${inner}${key}${render(text, value, inner)}`
  })
  const edit = { offset: place, length: closing - place, text: `${rows.join(',')}${eol}${outer}` }
  const end = last ? last.offset + last.length : closing
  const needsComma = last && !stripComments(text.slice(end, closing)).includes(',')
  return needsComma ? [{ offset: end, length: 0, text: ',' }, edit] : [edit]
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  let rest = text.length
  const pieces: string[] = []
  for (const edit of edits.toSorted((a, b) => a.offset - b.offset).toReversed()) {
    pieces.unshift(edit.text, text.slice(edit.offset + edit.length, rest))
    rest = edit.offset
  }
  return text.slice(0, rest) + pieces.join('')
}

function render(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, indentUnit(text)).replaceAll('\n', lineEnd(text) + indent)
}

function lineEnd(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** As the file itself indents; two spaces where it does not. */
function indentUnit(text: string): string {
  return /^([\t ]+)["{[]/m.exec(text)?.[1] ?? '  '
}

function indentAt(text: string, offset: number): string {
  return /^[\t ]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))![0]
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
