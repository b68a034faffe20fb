import { quoteForShell } from '../io/shell-quote.ts'
import type { TmuxCommand } from './tmux.ts'

const plain = /^[\w./:@=+-]+$/

/** Quotes one word of tmux's own language. Single quotes work as in sh, but cannot hold a line break. */
export function quoted(word: string): string {
  return plain.test(word) ? word : quoteForShell(word).replaceAll('\n', `'"\\n"'`)
}

/** Writes a command as text, for places where tmux expects a command in one argument. */
export function line(command: TmuxCommand): string {
  return command.map(quoted).join(' ')
}

export interface BindOptions {
  table: string
  key: string
  repeat?: boolean
  note?: string | null
}

/** `bind-key` parses its arguments a second time, and reads a `;` at the end of one as a separator. */
export function bindCommand(options: BindOptions, command: TmuxCommand): string {
  return `${bindStart(options)} ${line(command.map(word => word.replace(/;$/, '\\;')))}`
}

export function bindText(options: BindOptions, commands: string): string {
  return `${bindStart(options)} ${block(commands)}`
}

/** Writes commands as one argument. Unlike quotes, braces keep line breaks, but tmux 3.2 rewrites their content. */
export function block(commands: string): string {
  return commands.includes('\n') ? `{\n${commands}\n}` : quoted(commands)
}

function bindStart({ table, key, repeat, note }: BindOptions): string {
  const flags = [...(repeat ? ['-r'] : []), ...(note ? ['-N', note] : [])]
  return line(['bind-key', ...flags, '-T', table, '--', key])
}
