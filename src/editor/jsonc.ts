import { isDeepStrictEqual } from 'node:util'
import {
  applyEdits,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
  stripComments,
} from 'jsonc-parser'
import { AgencError } from '../errors.ts'

/** Parses JSON with comments. Returns null if the file holds only blanks and comments, and throws if it is invalid. */
export function parseJsonc(text: string, path: string): Node | null {
  if (stripComments(text).trim() === '') return null
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (root && !first) return root
  const where = first ? `: ${printParseErrorCode(first.error)} in line ${lineOf(text, first.offset)}` : ''
  throw invalidFile(`${path} is not valid JSON${where}`)
}

export function invalidFile(message: string): AgencError {
  return new AgencError(message, 'The file was not changed. Fix it or move it away, then run this again.')
}

/** Sets a value and leaves every other byte as it is. An equal value keeps its layout. */
export function setValue(text: string, path: JSONPath, value: unknown): string {
  const { parent, node } = nodesAt(text, path)
  if (node && isDeepStrictEqual(plainValue(text, node), value)) return text
  const withPlace = node ? text : appendNull(text, parent!, path.at(-1)!)
  const tabSize = indentUnit(text).length
  const formattingOptions = { tabSize, insertSpaces: !indentUnit(text).startsWith('\t'), eol: lineEnd(text) }
  return applyEdits(withPlace, modify(withPlace, path, value, { formattingOptions }))
}

function nodesAt(text: string, path: JSONPath): { parent: Node | undefined; node: Node | undefined } {
  const root = parseTree(text, [], { allowTrailingComma: true })!
  return { parent: findNodeAtLocation(root, path.slice(0, -1)), node: findNodeAtLocation(root, path) }
}

/** Unlike `getNodeValue`, this gives objects their usual prototype, which the comparison takes into account. */
function plainValue(text: string, { offset, length }: Node): unknown {
  return parse(text.slice(offset, offset + length), [], { allowTrailingComma: true })
}

/**
 * Adds a last child to an array or object, after the comments that follow the previous child: they belong to that
 * child. `modify` inserts before such comments, and formats the whole line, so here it only replaces the `null`.
 */
function appendNull(text: string, parent: Node, key: string | number): string {
  const closing = parent.offset + parent.length - 1
  const place = text.slice(0, closing).trimEnd().length
  const last = parent.children?.at(-1)
  const end = last ? last.offset + last.length : closing
  const needsComma = last && !stripComments(text.slice(end, closing)).includes(',')
  const outer = indentAt(text, parent.offset)
  const isOnOwnLine = last && lineOf(text, last.offset) > lineOf(text, parent.offset)
  const inner = isOnOwnLine ? indentAt(text, last.offset) : outer + indentUnit(text)
  const child = typeof key === 'string' ? `${JSON.stringify(key)}: null` : 'null'
  const content = `${lineEnd(text)}${inner}${child}${lineEnd(text)}${outer}`
  return applyEdits(text, [
    ...(needsComma ? [{ offset: end, length: 0, content: ',' }] : []),
    { offset: place, length: closing - place, content },
  ])
}

function lineEnd(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** The file's own indentation, or two spaces if it has none. */
function indentUnit(text: string): string {
  return /^([\t ]+)["{[]/m.exec(text)?.[1] ?? '  '
}

function indentAt(text: string, offset: number): string {
  return /^[\t ]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))![0]
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
