import type { OpenDialog } from './dialogs.ts'
import type { PromptBox } from './prompt-box.ts'
import { claudeVersion } from './release.ts'
import { bold, hanging, inverse, padEnd, shaded, textWidth, tint, truncate, wrap } from './text-layout.ts'

/** One item of the conversation as shown on the screen. */
export type Entry =
  | { kind: 'user'; text: string }
  | { kind: 'assistant'; text: string }
  | { kind: 'tool'; text: string; detail?: string }
  | { kind: 'note'; text: string }

/** Everything that the screen shows. */
export interface ScreenContent {
  columns: number
  rows: number
  directory: string
  name?: string
  entries: readonly Entry[]
  /** Claude's current activity; undefined while it is idle. */
  activity?: string
  dialog?: OpenDialog
  box: PromptBox
  footer: string[]
}

const nbsp = '\u00a0'
const shownCharacters = 4_000

export function screenLines(content: ScreenContent): string[] {
  const { rows, columns } = content
  const below = content.dialog ? dialogLines(content.dialog, columns) : promptLines(content)
  const above = [
    ...headerLines(content),
    ...content.entries.flatMap(entry => ['', ...entryLines(entry, columns)]),
  ]
  if (content.activity) above.push('', tint('brand', `✻ ${content.activity}`))
  const room = Math.max(0, rows - below.length)
  const shown = above.slice(-room || above.length).slice(0, room)
  const filler = Array.from({ length: room - shown.length }, () => '')
  return [...shown, ...filler, ...below].slice(-rows).map(line => truncateStyled(line, columns))
}

function headerLines({ directory }: ScreenContent): string[] {
  return [
    '',
    ` ${tint('brand', '✻')} ${bold('Claude Code')} ${tint('quiet', `v${claudeVersion}`)}`,
    `   ${tint('quiet', 'Stand-in · scripted answers, no account')}`,
    `   ${tint('quiet', directory)}`,
  ]
}

function entryLines(entry: Entry, columns: number): string[] {
  switch (entry.kind) {
    case 'user':
      return hanging('❯ ', shortened(entry.text), columns).map(line => shaded(padEnd(line, columns)))
    case 'assistant':
      return hanging('● ', shortened(entry.text), columns)
    case 'tool':
      return [...hanging('● ', entry.text, columns), ...detailLines(entry.detail, columns)]
    case 'note':
      return hanging('  ⎿  ', entry.text, columns).map(line => tint('quiet', line))
  }
}

function detailLines(detail: string | undefined, columns: number): string[] {
  return detail ? hanging('  ⎿  ', detail, columns).map(line => tint('quiet', line)) : []
}

function promptLines({ columns, name, box, footer }: ScreenContent): string[] {
  const label = name ? ` ${truncate(name, Math.max(1, columns - 10))} ─` : ''
  const top = '─'.repeat(Math.max(0, columns - textWidth(label))) + label
  return [
    tint('rule', top),
    ...boxLines(box, columns),
    tint('rule', '─'.repeat(columns)),
    ...footer.map(line => tint('quiet', `  ${truncate(line, Math.max(1, columns - 2))}`)),
  ]
}

/** A prompt may be megabytes long, and wrapping all of it would take seconds. */
function shortened(text: string): string {
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text
}

/** Draws a cursor, because the terminal's own cursor is hidden. */
function boxLines({ text, cursor }: PromptBox, columns: number): string[] {
  const marker = '\u0000'
  const before = text.slice(Math.max(0, cursor - shownCharacters), cursor)
  const marked = before + marker + text.slice(cursor, cursor + shownCharacters)
  const lines = wrap(marked, columns - 3).map((line, index) => (index === 0 ? `❯${nbsp}` : '  ') + line)
  return lines.map(line => {
    const at = line.indexOf(marker)
    if (at < 0) return line
    const under = [...line.slice(at + 1)][0] ?? ' '
    return line.slice(0, at) + inverse(under) + line.slice(at + 1 + under.length)
  })
}

export function dialogLines({ dialog, selected }: OpenDialog, columns: number): string[] {
  const choices = dialog.choices.flatMap((choice, index) => {
    const number = dialog.numbered ? `${index + 1}. ` : ''
    const lines = hanging(`${index === selected ? ' ❯ ' : '   '}${number}`, choice.label, columns)
    const painted = index === selected ? lines.map(line => tint('choice', line)) : lines
    const indent = ' '.repeat(3 + number.length)
    return [...painted, ...(choice.detail ? [tint('quiet', indent + choice.detail)] : [])]
  })
  return [
    tint('choice', '─'.repeat(columns)),
    ` ${bold(dialog.title)}`,
    ...dialog.body.flatMap(line => wrap(line, columns - 2).map(part => ` ${part}`)),
    '',
    ...(dialog.question ? hanging(' ', dialog.question, columns) : []),
    ...choices,
    '',
    tint('quiet', ` ${truncate(dialog.hint, Math.max(1, columns - 2))}`),
  ]
}

/** A line that is too wide would wrap and shift all lines below it. */
function truncateStyled(line: string, columns: number): string {
  const bare = line.replace(/\u001b\[[\d;]*m/g, '')
  return textWidth(bare) <= columns ? line : truncate(bare, columns)
}
