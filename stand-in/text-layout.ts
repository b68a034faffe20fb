import { textWidth } from '../src/io/text.ts'

/** Breaks text at blanks so that no line is wider than the screen; a word that is too wide is cut. */
export function wrap(text: string, columns: number): string[] {
  return text.split('\n').flatMap(line => wrapLine(line, Math.max(1, columns)))
}

function wrapLine(line: string, columns: number): string[] {
  if (textWidth(line) <= columns) return [line]
  const lines: string[] = []
  let current = ''
  for (const word of line.split(/(?<= )/)) {
    if (textWidth((current + word).trimEnd()) > columns && current !== '') {
      lines.push(current.trimEnd())
      current = ''
    }
    const pieces = cut(word, columns)
    lines.push(...pieces.slice(0, -1))
    current += pieces.at(-1) ?? ''
  }
  return [...lines, current.trimEnd()]
}

function cut(word: string, columns: number): string[] {
  if (textWidth(word.trimEnd()) <= columns) return [word]
  const pieces: string[] = []
  let piece = ''
  for (const character of word) {
    if (textWidth(piece + character) > columns) {
      pieces.push(piece)
      piece = ''
    }
    piece += character
  }
  return [...pieces, piece]
}

/** The first line after the mark, the others set in below it. */
export function hanging(mark: string, text: string, columns: number): string[] {
  const indent = ' '.repeat(textWidth(mark))
  return wrap(text, columns - textWidth(mark)).map((line, index) => (index === 0 ? mark : indent) + line)
}
