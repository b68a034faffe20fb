import { textWidth } from '../../src/io/text.ts'

export interface Style {
  foreground: string | null
  background: string | null
  isBold: boolean
  isDim: boolean
  isReverse: boolean
}

/** One place of the screen; a wide character is followed by an empty one. */
export interface Cell extends Style {
  text: string
}

const plain: Style = { foreground: null, background: null, isBold: false, isDim: false, isReverse: false }

/** Lines with SGR sequences, as `capture-pane -e` gives them, as rows of cells. */
export function parseScreen(lines: readonly string[], columns: number): Cell[][] {
  let style = plain
  return lines.map(line => {
    const cells: Cell[] = []
    for (const [part] of line.matchAll(/\u001b\[[\d;:]*m|\u001b[()][A-Z0-9]|[\u000e\u000f]|[\s\S]/gu)) {
      if (part.startsWith('\u001b[')) style = applied(style, part.slice(2, -1))
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

function applied(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number)
  let next = style
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index]!
    if (code === 38 || code === 48) {
      const { colour, length } = extended(codes.slice(index + 1))
      next = { ...next, [code === 38 ? 'foreground' : 'background']: colour }
      index += length
    } else next = { ...next, ...simple(code) }
  }
  return next
}

function simple(code: number): Partial<Style> {
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

function extended([kind, ...rest]: number[]): { colour: string; length: number } {
  if (kind === 5) return { colour: palette(rest[0] ?? 0), length: 2 }
  return { colour: hex(rest.slice(0, 3)), length: 4 }
}

const sixteen = [
  ...['#3b4252', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#d7dae0'],
  ...['#6b7280', '#f28b94', '#b5e08f', '#f2d28b', '#8cc8ff', '#dba2ee', '#7fd3de', '#ffffff'],
]

function palette(index: number): string {
  if (index < 16) return sixteen[index]!
  if (index >= 232) return hex(Array(3).fill(8 + (index - 232) * 10))
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40)
  const cube = index - 16
  return hex([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level))
}

function hex(values: readonly number[]): string {
  return `#${values.map(value => value.toString(16).padStart(2, '0')).join('')}`
}
