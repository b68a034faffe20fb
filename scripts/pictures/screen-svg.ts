import type { Cell } from './screen.ts'
import { dark, type Theme } from './themes.ts'

const cell = { width: 8, height: 18 }
const font = { size: 13.3, baseline: 13 }
const margin = 14
const titleBar = 34
const family =
  "ui-monospace, SFMono-Regular, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"

export interface PictureOptions {
  title: string
  description: string
  theme?: Theme
}

/**
 * Draws a screen inside a terminal window. Text stays text. Each run has a `textLength`, so it fills exactly its columns
 * in any font. That only works if the browser keeps every blank: if it collapses them, it stretches what is left.
 * `white-space: pre` must apply to the text elements themselves. On a group, Chromium ignores it, and `xml:space` too,
 * because its own style sheet sets `white-space` for `text`.
 */
export function screenSvg(
  screen: readonly (readonly Cell[])[],
  { title, description, theme = dark }: PictureOptions,
): string {
  const width = (screen[0]?.length ?? 0) * cell.width + 2 * margin
  const height = screen.length * cell.height + titleBar + margin
  const rows = screen.flatMap((row, index) => rowElements(row, titleBar + index * cell.height, theme))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<desc>${escaped(description)}</desc>
<style>text { white-space: pre }</style>
<rect width="${width}" height="${height}" rx="10" fill="${theme.frame}"/>
<path d="M0 ${titleBar - 6}V10a10 10 0 0 1 10-10H${width - 10}a10 10 0 0 1 10 10V${titleBar - 6}Z" fill="${theme.bar}"/>
${['#e0655d', '#dfb13f', '#69b457'].map((fill, index) => `<circle cx="${18 + index * 18}" cy="14" r="5.5" fill="${fill}"/>`).join('')}
<g font-family="${family}" font-size="${font.size}" fill="${theme.text}">
<text x="${width / 2}" y="18.5" text-anchor="middle" fill="${theme.title}">${escaped(title)}</text>
${rows.join('\n')}
</g>
</svg>
`
}

interface Run {
  start: number
  text: string
  columns: number
  foreground: string
  background: string | null
  isBold: boolean
}

function rowElements(row: readonly Cell[], top: number, theme: Theme): string[] {
  const runs = runsOf(row, theme)
  return [
    ...runs.filter(({ background }) => background !== null).map(run => backgroundOf(run, top)),
    ...runs.flatMap(run => (isBoxDrawing(run.text) ? lineOf(run, top) : textsOf(run, top, theme))),
  ]
}

function runsOf(row: readonly Cell[], theme: Theme): Run[] {
  const runs: Run[] = []
  row.forEach((place, start) => {
    const next = { start, text: place.text, columns: 1, ...look(place, theme) }
    const last = runs.at(-1)
    if (last && isSameRun(last, next)) {
      last.text += next.text
      last.columns++
    } else runs.push(next)
  })
  return runs
}

function isSameRun(last: Run, next: Run): boolean {
  return (
    last.foreground === next.foreground &&
    last.background === next.background &&
    last.isBold === next.isBold &&
    (next.text === '' || isBoxDrawing(last.text) === isBoxDrawing(next.text))
  )
}

function look({ foreground, background, isReverse, isDim, isBold }: Cell, theme: Theme) {
  const [front, back] = [foreground ?? theme.text, background]
  const shown = isReverse
    ? { foreground: back ?? theme.frame, background: front }
    : { foreground: front, background: back }
  return { ...shown, foreground: isDim ? mixed(shown.foreground, theme) : shown.foreground, isBold }
}

/** Mixes a colour half and half with the background, as terminals draw dim text. */
function mixed(colour: string, { frame }: Theme): string {
  const part = (text: string, at: number) => Number.parseInt(text.slice(at, at + 2), 16)
  const values = [1, 3, 5].map(at => Math.round((part(colour, at) + part(frame, at)) / 2))
  return `#${values.map(value => value.toString(16).padStart(2, '0')).join('')}`
}

const left = (start: number) => margin + start * cell.width

function backgroundOf({ start, columns, background }: Run, top: number): string {
  return `<rect x="${left(start)}" y="${top}" width="${columns * cell.width}" height="${cell.height}" fill="${background}"/>`
}

function lineOf({ start, text, foreground }: Run, top: number): string {
  return `<path d="${boxPath(text, left(start), top)}" stroke="${foreground}" fill="none"/>`
}

function textsOf({ start, text, columns, foreground, isBold }: Run, top: number, theme: Theme): string[] {
  if (text.trim() === '') return []
  const fill = foreground === theme.text ? '' : ` fill="${foreground}"`
  const weight = isBold ? ' font-weight="bold"' : ''
  const lead = text.length - text.trimStart().length
  const shown = text.trim()
  const width = (columns - (text.length - shown.length)) * cell.width
  const length = ` textLength="${width}" lengthAdjust="spacingAndGlyphs"`
  return [
    `<text x="${left(start + lead)}" y="${top + font.baseline}"${fill}${weight}${length}>${escaped(shown)}</text>`,
  ]
}

/** Many fonts lack these characters, so similar ones are drawn instead. */
const substitutes: Record<string, string> = { '⏵': '▸', '⏸': '‖' }

function escaped(text: string): string {
  const drawable = text.replace(/[⏵⏸]/g, character => substitutes[character]!)
  return drawable.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** The sides that each character reaches from its middle: left, right, up, down. */
const arms: Record<string, string> = {
  '─': 'lr',
  '│': 'ud',
  '┌': 'rd',
  '┐': 'ld',
  '└': 'ru',
  '┘': 'lu',
  '╭': 'rd',
  '╮': 'ld',
  '╰': 'ru',
  '╯': 'lu',
  '⎿': 'ru',
}

/** A line of one pixel is sharp only if its middle is half a pixel off the grid. */
const sharp = 0.5

/** These characters must touch their neighbours, which no font achieves at every line height. They are drawn as paths. */
function isBoxDrawing(text: string): boolean {
  return text !== '' && [...text].every(character => character in arms)
}

function boxPath(text: string, x: number, top: number): string {
  return [...text.matchAll(/─+|[^─]/g)]
    .map(({ 0: part, index }) => strokesOf(part, x + index * cell.width, top))
    .join('')
}

function strokesOf(part: string, x: number, top: number): string {
  const middle = { x: x + cell.width / 2 + sharp, y: top + cell.height / 2 + sharp }
  if (part.startsWith('─')) return `M${x} ${middle.y}h${part.length * cell.width}`
  const ends: Record<string, string> = {
    l: `H${x}`,
    r: `H${x + cell.width}`,
    u: `V${top}`,
    d: `V${top + cell.height}`,
  }
  return [...arms[part]!].map(arm => `M${middle.x} ${middle.y}${ends[arm]}`).join('')
}
