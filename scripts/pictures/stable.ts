import type { Cell } from './screen.ts'

const shownIds = ['3f2a91c4', '7b20e5d8', 'c41d7a06', '90be2f3a']

/**
 * What differs from one run to the next is replaced by something that does not: ids by their order in the status
 * line, the directory, seconds, and the little wheel that fzf turns while a preview goes on.
 */
export function stabilise(screen: Cell[][]): Cell[][] {
  const ids = idsIn(screen)
  return screen.map((row, index) => {
    let stable = withoutDirectory(row, screen[index - 1] ?? [])
    for (const [place, id] of ids.entries()) stable = replaceAll(stable, id, shownIds[place] ?? id)
    stable = replace(stable, /\(\d+s\)/, '(8s)')
    stable = replace(stable, /\d+[sm](?= +│)/, '2m')
    return replace(stable, /[\u2800-\u28ff]/, ' ')
  })
}

/** Claude's working directory stands below the line that says who answers. */
function withoutDirectory(row: Cell[], above: readonly Cell[]): Cell[] {
  const [, id] = /missions\/([0-9a-f]{8})-/.exec(textOf(row)) ?? []
  if (id === undefined || !textOf(above).includes('Stand-in ·')) return row
  return replace(row, /\/\S+ */, `~/.agenc/missions/${id}-…/agent`)
}

/** The status line names every mission. */
function idsIn(screen: Cell[][]): string[] {
  return [...textOf(screen.at(-1) ?? []).matchAll(/[0-9a-f]{8}(?= )/g)].map(([id]) => id)
}

/** A character a cell, so that places in the text are places in the row. */
export function textOf(row: readonly Cell[]): string {
  return row.map(({ text }) => (text.length === 1 ? text : '\u25a1')).join('')
}

function replaceAll(row: Cell[], text: string, by: string): Cell[] {
  let next = row
  while (textOf(next).includes(text)) next = replace(next, text, by)
  return next
}

/** In the style of the place, filled up with blanks to its width. */
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
