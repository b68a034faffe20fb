import { eastAsianWidth } from 'get-east-asian-width'

const escapeSequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g
const controlCharacters = /[\u0000-\u001f\u007f-\u009f]+/g
/** Marks that reorder or hide text can make one name look like another. U+200D is kept: emoji need it as a joiner. */
const invisibleCharacters =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu
const printableAscii = /^[ -~]*$/

/** Makes text from users, repos, Claude or tmux safe to print on one line of a terminal. */
export function cleanText(text: string): string {
  return withoutControls(text).trim()
}

/** Does the same for several lines, which keep their indentation. */
export function cleanLines(text: string): string {
  return text
    .split('\n')
    .map(line => withoutControls(line).trimEnd())
    .join('\n')
}

/** Cuts the text after so many characters, and shows that it was cut. */
export function bounded(text: string, mostCharacters: number): string {
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters)}…`
}

/** Replaces control characters by spaces and drops invisible ones, but keeps the spaces around the text. */
export function withoutControls(text: string): string {
  if (printableAscii.test(text)) return text
  return text.replace(escapeSequences, '').replace(controlCharacters, ' ').replace(invisibleCharacters, '')
}

/**
 * The columns a text takes on a terminal. Joined emoji are counted one by one, as many terminals draw them.
 * The package string-width does the same, but adds 27 ms to every start: it builds its tables and a segmenter on load.
 */
export function textWidth(text: string): number {
  if (printableAscii.test(text)) return text.length
  let width = 0
  for (const character of text) width += characterWidth(character)
  return width
}

const zeroWidth = /^[\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Mark}\p{Surrogate}]$/u
const emoji = /^\p{Emoji_Presentation}$/u

function characterWidth(character: string): number {
  if (zeroWidth.test(character)) return 0
  return emoji.test(character) ? 2 : eastAsianWidth(character.codePointAt(0)!)
}

/** Cuts a text to a number of columns, never through an emoji. */
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

/** Breaks a text between words into lines of at most `columns`. A longer word gets a line of its own. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line !== '' && textWidth(line) + 1 + textWidth(word) > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line]
}

/** Wraps a text and indents every line. `columns` includes the indentation. */
export function indented(text: string, columns: number, indent: number): string[] {
  const space = ' '.repeat(indent)
  return wrap(text, Math.max(columns - indent, 10)).map(line => space + line)
}

/** Whether the locale is set to one without UTF-8. If no locale is set, the terminal is assumed to have UTF-8. */
export function lacksUnicode(env: NodeJS.ProcessEnv): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG
  return locale !== undefined && locale !== '' && !/utf-?8/i.test(locale)
}

const asciiFor: Record<string, string> = {
  '…': '.',
  '•': '*',
  '·': '.',
  '●': '@',
  '✓': 'v',
  '✗': 'x',
  '─': '-',
  '│': '|',
  '├': '|',
  '└': '`',
  '→': '>',
  '↑': '^',
  '↓': 'v',
  '⏎': 'Enter',
  '✔': 'v',
  '✖': 'x',
  '✘': 'x',
  '❯': '>',
  '◉': '*',
  '◯': 'o',
  '“': '"',
  '”': '"',
  '’': "'",
}

/** Replaces each character by one that a terminal without UTF-8 can draw. Combining marks are dropped. */
export function toAscii(text: string): string {
  return text.replace(/[^\u0000-\u007f]/gu, character => {
    return asciiFor[character] ?? (/[\p{M}\p{Cf}]/u.test(character) ? '' : '?')
  })
}
