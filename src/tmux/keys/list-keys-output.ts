/** A key binding as `list-keys` shows it. */
export interface Listed {
  table: string
  key: string
  repeat: boolean
  command: string
}

const bindingLine = /^bind-key\s+(-r\s+)?-T\s+(\S+)\s+(\S+)(?:\s+(.*))?$/

export function parseBinding(text: string): Listed | null {
  const match = bindingLine.exec(text)
  if (!match) return null
  return { table: match[2]!, key: match[3]!, repeat: match[1] !== undefined, command: match[4] ?? '' }
}

/** The note of a key from `list-keys -N -P @`, which pads keys to a column. */
export function parseNote(text: string): { key: string; note: string } | null {
  const match = /^@ ?(\S+)\s+(.*)$/.exec(text)
  return match ? { key: match[1]!, note: match[2]! } : null
}

/** `list-keys` quotes a key's name, `list-keys -N` does not. */
export function plainKey(name: string): string {
  return name.replace(/^(["'])(.+)\1$/, '$2').replace(/\\(.)/g, '$1')
}

const tokens = /"(?:[^"\\]|\\.)*"|'[^']*'|(?<=^|\s)(?:\\;\\;|\\;|;;)(?=\s|$)|\\.|./gs

/**
 * Listed commands are not what tmux would read back. Between commands stands `\;`, as it does for an argument
 * that is a semicolon: it is a separator where the name of a command follows. A doubled one stands for a line
 * break. And what is in single quotes is escaped as if it were in double ones.
 */
export function readable(command: string, commandNames: ReadonlySet<string>): string {
  let depth = 0
  const rewrite = (token: string, offset: number) => {
    if (token === '{') depth++
    if (token === '}') depth--
    if (token.length > 1 && token.startsWith("'")) return `"${token.slice(1, -1).replaceAll('"', '\\"')}"`
    if (token === (depth === 0 ? '\\;\\;' : ';;')) return '\n'
    if (token === '\\;' && depth === 0 && commandNames.has(wordAt(command, offset + 3))) return ';'
    return token
  }
  return command.replace(tokens, rewrite)
}

function wordAt(text: string, offset: number): string {
  return /^\S*/.exec(text.slice(offset))![0]
}
