import { textWidth } from '../../src/io/text.ts'
import { dark, type Theme } from './themes.ts'

export interface Style {
  foreground: string | null
  background: string | null
  isBold: boolean
  isDim: boolean
  isReverse: boolean
}

/** One column of one row. A wide character takes two cells, the second with an empty text. */
export interface Cell extends Style {
  text: string
}

const plain: Style = { foreground: null, background: null, isBold: false, isDim: false, isReverse: false }

/** Reads lines with colour sequences, as `tmux capture-pane -e` prints them. */
export function parseScreen(lines: readonly string[], columns: number, theme: Theme = dark): Cell[][] {
  let style = plain
  return lines.map(line => {
    const cells: Cell[] = []
    for (const [part] of line.matchAll(/\u001b\[[\d;:]*m|\u001b[()][A-Z0-9]|[\u000e\u000f]|[\s\S]/gu)) {
      if (part.startsWith('\u001b[')) style = applied(style, part.slice(2, -1), theme)
      else if (!/^[\u001b\u000e\u000f]/.test(part)) cells.push(...cellsOf(part, style))
    }
    while (cells.length < columns) cells.push({ ...plain, text: ' ' })
    return cells.slice(0, columns)
  })
}

function cellsOf(text: string, style: Style): Cell[] {
  const cell = { ...style, text }
  return textWidth(text) === 2 ? [cell, { ...style, text: '' }] : [cell]
}

function applied(style: Style, parameters: string, theme: Theme): Style {
  const codes = parameters.split(/[;:]/).map(Number)
  let next = style
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index]!
    if (code === 38 || code === 48) {
      const { colour, length } = extended(codes.slice(index + 1), theme)
      next = { ...next, [code === 38 ? 'foreground' : 'background']: colour }
      index += length
    } else next = { ...next, ...simple(code, theme) }
  }
  return next
}

function simple(code: number, theme: Theme): Partial<Style> {
  const palette = (index: number) => theme.sixteen[index]!
  if (code === 0) return plain
  if (code === 1) return { isBold: true }
  if (code === 2) return { isDim: true }
  if (code === 22) return { isBold: false, isDim: false }
  if (code === 7) return { isReverse: true }
  if (code === 27) return { isReverse: false }
  if (code === 39) return { foreground: null }
  if (code === 49) return { background: null }
  if (code >= 30 && code <= 37) return { foreground: palette(code - 30) }
  if (code >= 90 && code <= 97) return { foreground: palette(code - 82) }
  if (code >= 40 && code <= 47) return { background: palette(code - 40) }
  if (code >= 100 && code <= 107) return { background: palette(code - 92) }
  return {}
}

function extended([kind, ...rest]: number[], theme: Theme): { colour: string; length: number } {
  if (kind === 5) return { colour: paletteColour(rest[0] ?? 0, theme), length: 2 }
  return { colour: hex(rest.slice(0, 3)), length: 4 }
}

export function paletteColour(index: number, { sixteen }: Theme): string {
  if (index < 16) return sixteen[index]!
  if (index >= 232) return hex(Array(3).fill(8 + (index - 232) * 10))
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40)
  const cube = index - 16
  return hex([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level))
}

function hex(values: readonly number[]): string {
  return `#${values.map(value => value.toString(16).padStart(2, '0')).join('')}`
}

const shownIds = ['3f2a91c4', '7b20e5d8', 'c41d7a06', '90be2f3a']

/**
 * Replaces everything that differs between two runs with fixed text: mission ids (by their order on the
 * screen), the working directory, seconds, and the spinner that fzf shows while a preview is loading.
 */
export function stabilise(screen: Cell[][]): Cell[][] {
  const ids = idsIn(screen)
  return screen.map(row => {
    let stable = withoutDirectory(row)
    for (const [place, id] of ids.entries()) stable = replaceAll(stable, id, shownIds[place] ?? id)
    stable = replace(stable, /\(\d+s\)/, '(8s)')
    stable = replace(stable, /[ \d]\d[sm](?= +[0-9a-f]{8} )/, ' 2m')
    return replace(stable, /[\u2800-\u28ff]/, ' ')
  })
}

/** The stand-in prints its working directory. */
function withoutDirectory(row: Cell[]): Cell[] {
  const [, id] = /missions\/([0-9a-f]{8})-/.exec(textOf(row)) ?? []
  if (id === undefined) return row
  return replace(row, /\/\S*missions\/\S+ */, `~/.agenc/missions/${id}-…/agent`)
}

function idsIn(screen: Cell[][]): string[] {
  const found = screen.flatMap(row => [...textOf(row).matchAll(/(?<![\w-])[0-9a-f]{8}(?=[ -])/g)])
  return [...new Set(found.map(([id]) => id))]
}

/** Exactly one character per cell, so that an index into the text is an index into the row. */
function textOf(row: readonly Cell[]): string {
  return row.map(({ text }) => (text.length === 1 ? text : '\u25a1')).join('')
}

function replaceAll(row: Cell[], text: string, by: string): Cell[] {
  let next = row
  while (textOf(next).includes(text)) next = replace(next, text, by)
  return next
}

/** Keeps the style and width of the replaced cells: the new text is padded with blanks or cut. */
function replace(row: Cell[], pattern: RegExp | string, by: string): Cell[] {
  const found = typeof pattern === 'string' ? textOf(row).indexOf(pattern) : textOf(row).search(pattern)
  if (found < 0) return row
  const width = typeof pattern === 'string' ? pattern.length : (pattern.exec(textOf(row))?.[0].length ?? 0)
  const text = [...by.padEnd(width)].slice(0, width)
  return row.map((cell, index) => {
    const at = index - found
    return at >= 0 && at < width ? { ...cell, text: text[at]! } : cell
  })
}
