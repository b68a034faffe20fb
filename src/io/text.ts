import { eastAsianWidth } from 'get-east-asian-width'

export { cleanLines, cleanText } from './clean.ts'

/**
 * Joined emoji are counted one by one, as many terminals draw them. string-width would do this, at 27 ms for every
 * start: it builds its tables and a segmenter when loaded.
 */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  let width = 0
  for (const character of text) width += characterWidth(character)
  return width
}

const invisible = /^[\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Mark}\p{Surrogate}]$/u
const emoji = /^\p{Emoji_Presentation}$/u

function characterWidth(character: string): number {
  if (invisible.test(character)) return 0
  return emoji.test(character) ? 2 : eastAsianWidth(character.codePointAt(0)!)
}

/** Cuts at a terminal width, not at a character count; never through an emoji. */
export function truncate(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text
  if (columns <= 0) return ''
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (textWidth(kept + segment) > columns - 1) break
    kept += segment
  }
  return `${kept}…`
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)))
}
