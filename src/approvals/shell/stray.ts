import { forEachChild, type Script, type SyntaxNode } from 'unbash'

/** Seen as one: what is inside is somebody else's business. */
const leaves = new Set<SyntaxNode['type']>([
  'Word',
  'Assignment',
  'Redirect',
  'HereString',
  'HereDoc',
  'TestCommand',
  'ArithmeticCommand',
  'ArithmeticFor',
  'Function',
  'Coproc',
])
const keywords = /\b(?:if|then|elif|else|fi|for|in|do|done|while|until|case|esac|select|time|p)\b/g

/**
 * The parser recovers from what it does not understand, and may skip a character without a word. So the
 * script is read once more: apart from what became part of the tree, only separators may be left.
 */
export function hasStrayText(script: Script, source: string): boolean {
  const understood: Range[] = []
  let subshells = 0
  let cases = 0
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Subshell') subshells++
    if (node.type === 'CaseItem') cases++
    if (leaves.has(node.type)) understood.push(...rangesOf(node))
    else forEachChild(node, visit)
  }
  forEachChild(script, visit)

  const left = outside(understood, script, source)
    .replace(/#[^\n]*|\\\n/g, '')
    .replace(keywords, '')
  const opened = left.split('(').length - 1
  const closed = left.split(')').length - 1
  const balanced = opened >= subshells && opened <= closed && closed === subshells + cases
  return !balanced || !/^[\s;&|(){}!-]*$/.test(left)
}

interface Range {
  pos: number
  end: number
}

function rangesOf(node: SyntaxNode): Range[] {
  if (node.type !== 'HereDoc') return [node]
  return [node, node.body, ...(node.closing ? [node.closing] : [])]
}

function outside(ranges: readonly Range[], whole: Range, source: string): string {
  const pieces: string[] = []
  let at = whole.pos
  for (const range of ranges.toSorted((one, other) => one.pos - other.pos)) {
    if (range.pos > at) pieces.push(source.slice(at, range.pos))
    at = Math.max(at, range.end)
  }
  return [...pieces, source.slice(at, whole.end)].join(' ')
}
