import type { Style } from './colour.ts'
import type { Output } from './output.ts'
import { cleanLines, textWidth } from './text.ts'

type Page = Pick<Output, 'columns' | 'paint'>

/** Headings, lists, quotes and code of a Markdown text, for a terminal. What it does not know stays as it is. */
export function renderMarkdown(text: string, page: Page): string {
  const lines: string[] = []
  let isCode = false
  for (const line of cleanLines(text.replaceAll('\t', '    ')).trim().split('\n')) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
    else lines.push(...(isCode ? [`    ${page.paint('cyan', line)}`] : renderLine(line, page)))
  }
  return `${lines.join('\n')}\n`
}

function renderLine(line: string, page: Page): string[] {
  const [, marks, title] = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line) ?? []
  if (marks) return [page.paint('bold', inline(title!, page, false))]
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line))
    return [page.paint('dim', '─'.repeat(Math.min(page.columns, 40)))]
  const [, quote] = /^\s*>\s?(.*)$/.exec(line) ?? []
  if (quote !== undefined) return wrapped(quote, page, page.paint('dim', '│ '), page.paint('dim', '│ '), 2)
  if (/^\s*\|.*\|\s*$/.test(line)) return [inline(line, page)]
  const [, space = '', mark = '', rest = ''] = /^(\s*)(?:([-*+]|\d+[.)])\s+)?(.*)$/.exec(line) ?? []
  const bullet = /^\d/.test(mark) ? `${mark} ` : mark ? '• ' : ''
  const { sign, words } = checkbox(mark ? rest : `${rest}`, Boolean(mark))
  const lead = `${space}${sign ?? bullet}`
  return wrapped(words, page, lead, ' '.repeat(textWidth(lead)), textWidth(lead))
}

function checkbox(rest: string, isItem: boolean): { sign?: string; words: string } {
  const [, mark, words] = /^\[([ xX])\]\s+(.*)$/.exec(rest) ?? []
  return isItem && mark ? { sign: mark === ' ' ? '☐ ' : '☑ ', words: words! } : { words: rest }
}

function wrapped(text: string, page: Page, first: string, others: string, indent: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/ +/)) {
    const isFull = textWidth(visible(`${line} ${word}`)) > Math.max(20, page.columns - indent)
    if (line !== '' && isFull) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  const styled = inline([...lines, line].join('\n'), page).split('\n')
  return styled.map((part, index) => `${index === 0 ? first : others}${part}`.trimEnd())
}

const spans: readonly [pattern: RegExp, style: Style][] = [
  [/`([^`]+)`/g, 'cyan'],
  [/\*\*([^*]+)\*\*|__([^_]+)__/g, 'bold'],
]

function visible(text: string): string {
  return spans.reduce((shown, [pattern]) => shown.replace(pattern, (_, one, other) => one ?? other), text)
}

/** Where a span goes over the end of a line, each line is painted by itself. */
function inline(text: string, { paint }: Page, isPainted = true): string {
  return spans.reduce(
    (shown, [pattern, style]) =>
      shown.replace(pattern, (_, one, other) => {
        const words: string = one ?? other
        return isPainted ? words.replace(/[^\n]+/g, part => paint(style, part)) : words
      }),
    text,
  )
}
