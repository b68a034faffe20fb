import { textWidth } from './text.ts'

/** Words on lines of at most so many columns; a word that is longer has a line of its own. */
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

/** The same with every line pushed to the right. */
export function indented(text: string, columns: number, indent: number): string[] {
  const space = ' '.repeat(indent)
  return wrap(text, Math.max(columns - indent, 10)).map(line => space + line)
}
