import type { TmuxCommand } from './tmux.ts'

const plain = /^[\w./:@=+-]+$/

/** One word of tmux's own language: inside single quotes nothing has a meaning, but around a line break. */
export function quoted(word: string): string {
  return plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`).replaceAll('\n', `'"\\n"'`)}'`
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
