import { lexer, type Token, type Tokens } from 'marked'
import type { Style } from './colour.ts'
import type { Output } from './output.ts'
import { padEnd, textWidth, withoutControls } from './text.ts'

type Page = Pick<Output, 'columns' | 'paint'>

const tab = ' '.repeat(4)
const codeIndent = ' '.repeat(4)
const ruleColumns = 40
const leastColumns = 20

/** Renders a Markdown text for a terminal. The text may come from anywhere: control characters are removed. */
export function renderMarkdown(text: string, page: Page): string {
  const clean = text.replaceAll('\t', tab).split('\n').map(withoutControls).join('\n').trim()
  return `${renderBlocks(parse(clean), page, { isLoose: true }).join('\n')}\n`
}

/** marked recurses once per level, so thousands of nested quotes exhaust the stack. Such a text is shown as it is. */
function parse(text: string): Token[] {
  try {
    return lexer(text)
  } catch {
    return [{ type: 'html', raw: text }]
  }
}

function renderBlocks(tokens: readonly Token[], page: Page, { isLoose }: { isLoose: boolean }): string[] {
  const blocks = tokens.map(token => renderBlock(token, page)).filter(lines => lines.length > 0)
  return blocks.flatMap((lines, index) => (isLoose && index > 0 ? ['', ...lines] : lines))
}

function renderBlock(token: Token, page: Page): string[] {
  switch (token.type) {
    case 'space':
    case 'checkbox':
      return []
    case 'heading':
      return wrapRuns(unstyled(runsOf(token.tokens ?? [])), page).map(line => page.paint('bold', line))
    case 'paragraph':
      return wrapRuns(runsOf(token.tokens ?? []), page)
    case 'text':
      return wrapRuns(runsOf([token]), page)
    case 'code':
      return token.text.split('\n').map((line: string) => codeIndent + (line && page.paint('cyan', line)))
    case 'list':
      return renderList(token as Tokens.List, page)
    case 'blockquote':
      return renderBlocks(token.tokens ?? [], narrowed(page, 2), { isLoose: true }).map(
        line => page.paint('dim', '│ ') + line,
      )
    case 'hr':
      return [page.paint('dim', '─'.repeat(Math.min(page.columns, ruleColumns)))]
    case 'table':
      return renderTable(token as Tokens.Table, page)
    default:
      return token.raw.trimEnd().split('\n')
  }
}

function renderList({ items, ordered, start, loose }: Tokens.List, page: Page): string[] {
  const blocks = items.map((item, index) => {
    const lead = item.task ? (item.checked ? '☑ ' : '☐ ') : ordered ? `${Number(start) + index}. ` : '• '
    const lines = renderBlocks(item.tokens, narrowed(page, lead.length), { isLoose: item.loose })
    if (lines.length === 0) return [lead.trimEnd()]
    return lines.map((line, number) => (number === 0 ? lead : line && ' '.repeat(lead.length)) + line)
  })
  return blocks.flatMap((lines, index) => (loose && index > 0 ? ['', ...lines] : lines))
}

/** A table that is too wide for the terminal is shown as it was written. */
function renderTable({ header, rows, raw }: Tokens.Table, page: Page): string[] {
  const texts = [header, ...rows].map(cells =>
    cells.map(cell => plainText(runsOf(cell.tokens)).replace(/\s+/g, ' ')),
  )
  const widths = header.map((_, column) => Math.max(...texts.map(cells => textWidth(cells[column] ?? ''))))
  const lines = texts.map(cells =>
    cells
      .map((cell, column) => padEnd(cell, widths[column]!))
      .join('  ')
      .trimEnd(),
  )
  if (lines.some(line => textWidth(line) > page.columns)) return raw.trimEnd().split('\n')
  return lines.map((line, row) => (row === 0 ? page.paint('bold', line) : line))
}

function narrowed({ columns, paint }: Page, by: number): Page {
  return { columns: Math.max(leastColumns, columns - by), paint }
}

/** A piece of text in one style. A run that is only `\n` is an explicit line break. */
interface Run {
  text: string
  style: Style | null
}

/** Cleans the text once more: marked turns `&#27;` into an escape character. */
function run(text: string, style: Style | null): Run {
  return { text: withoutControls(text), style }
}

function runsOf(tokens: readonly Token[], style: Style | null = null): Run[] {
  return tokens.flatMap((token): Run[] => {
    const nested = 'tokens' in token ? token.tokens : undefined
    switch (token.type) {
      case 'strong':
      case 'em':
        return runsOf(nested ?? [], 'bold')
      case 'del':
        return runsOf(nested ?? [], 'dim')
      case 'codespan':
        return [run(token.text, 'cyan')]
      case 'br':
        return [{ text: '\n', style: null }]
      case 'link':
      case 'image': {
        const label = nested?.length ? runsOf(nested, style) : [run(token.text, style)]
        const isAddress = plainText(label) === token.href || `mailto:${plainText(label)}` === token.href
        return isAddress ? label : [...label, run(` (${token.href})`, 'dim')]
      }
      case 'text':
      case 'escape':
        return nested?.length ? runsOf(nested, style) : [run(decodeEntities(token.text), style)]
      default:
        return token.type === 'checkbox' ? [] : [run(token.raw, style)]
    }
  })
}

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/** marked leaves named entities as they are. */
function decodeEntities(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, entity => entities[entity]!)
}

function plainText(runs: readonly Run[]): string {
  return runs.map(({ text }) => text).join('')
}

function unstyled(runs: readonly Run[]): Run[] {
  return runs.map(({ text }) => ({ text, style: null }))
}

/** Breaks runs into lines between words. A word may consist of several runs, as in `**a**b`. */
function wrapRuns(runs: readonly Run[], { columns, paint }: Page): string[] {
  const lines: Run[][] = [[]]
  for (const word of wordsOf(runs)) {
    const line = lines.at(-1)!
    const width = textWidth(plainText(line)) + 1 + textWidth(plainText(word))
    if (plainText(word) === '\n') lines.push([])
    else if (line.length === 0) line.push(...word)
    else if (width > columns) lines.push([...word])
    else
      line.push({ text: ' ', style: line.at(-1)!.style === word[0]!.style ? word[0]!.style : null }, ...word)
  }
  return lines.map(line =>
    joined(line)
      .map(({ text, style }) => (style ? paint(style, text) : text))
      .join(''),
  )
}

function wordsOf(runs: readonly Run[]): Run[][] {
  const words: Run[][] = []
  let word: Run[] = []
  const finish = () => {
    if (word.length > 0) words.push(word)
    word = []
  }
  for (const run of runs) {
    if (run.text === '\n' && run.style === null) {
      finish()
      words.push([run])
      continue
    }
    for (const piece of run.text.split(/(\s+)/)) {
      if (piece.trim() !== '') word.push({ text: piece, style: run.style })
      else if (piece !== '') finish()
    }
  }
  finish()
  return words
}

function joined(runs: readonly Run[]): Run[] {
  const result: Run[] = []
  for (const run of runs) {
    const last = result.at(-1)
    if (last && last.style === run.style) result[result.length - 1] = { ...last, text: last.text + run.text }
    else result.push(run)
  }
  return result
}
