import { eastAsianWidth } from 'get-east-asian-width'

export { cleanLines, cleanText } from './clean.ts'

/** string-width would do this, at 27 ms for every start: it builds its tables and a segmenter when loaded. */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of segments(text)) width += graphemeWidth(segment)
  return width
}

const invisible = /^[\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Mark}\p{Surrogate}]+$/u
const emoji = /\p{Emoji_Presentation}|\ufe0f/u

function graphemeWidth(grapheme: string): number {
  if (invisible.test(grapheme)) return 0
  if (emoji.test(grapheme)) return 2
  return eastAsianWidth(grapheme.codePointAt(0)!)
}

/** Cuts at a terminal width, not at a character count; never through an emoji. */
export function truncate(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text
  if (columns <= 0) return ''
  let kept = ''
  for (const { segment } of segments(text)) {
    if (textWidth(kept + segment) > columns - 1) break
    kept += segment
  }
  return `${kept}…`
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)))
}

let segmenter: Intl.Segmenter | undefined

function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter()
  return segmenter.segment(text)
}
