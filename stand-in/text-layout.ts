import { eastAsianWidth } from 'get-east-asian-width'

const invisible = /^[\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Mark}\p{Surrogate}]$/u
const emoji = /^\p{Emoji_Presentation}$/u

/** Counts joined emoji one by one, as many terminals draw them. */
export function textWidth(text: string): number {
  let width = 0
  for (const character of text) width += characterWidth(character)
  return width
}

function characterWidth(character: string): number {
  if (invisible.test(character)) return 0
  return emoji.test(character) ? 2 : eastAsianWidth(character.codePointAt(0)!)
}

export function truncate(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text
  return columns <= 0 ? '' : `${cut(text, columns - 1)[0]!.trimEnd()}…`
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)))
}

/** Breaks text at spaces so that no line is wider than the screen. A word that is too wide is cut. */
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

/** Puts the mark in front of the first line and indents the other lines by its width. */
export function hanging(mark: string, text: string, columns: number): string[] {
  const indent = ' '.repeat(textWidth(mark))
  return wrap(text, columns - textWidth(mark)).map((line, index) => (index === 0 ? mark : indent) + line)
}

type Colour = readonly [number, number, number]

const colours = {
  brand: [215, 119, 87],
  quiet: [153, 153, 153],
  rule: [136, 136, 136],
  choice: [177, 185, 249],
} as const satisfies Record<string, Colour>

export function tint(colour: keyof typeof colours, text: string): string {
  return `\u001b[38;2;${colours[colour].join(';')}m${text}\u001b[39m`
}

export const bold = (text: string): string => `\u001b[1m${text}\u001b[22m`
export const inverse = (text: string): string => `\u001b[7m${text}\u001b[27m`
/** Sets both colours, because the terminal's own text may be as dark as this background. */
export const shaded = (text: string): string => `\u001b[38;2;255;255;255;48;2;55;55;55m${text}\u001b[39;49m`
