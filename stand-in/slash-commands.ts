/** What a line that starts with a slash asks for. */
export type SlashCommand =
  | { kind: 'clear' }
  | { kind: 'exit' }
  | { kind: 'rename'; name: string }
  | { kind: 'unknown'; word: string }

export function slashCommand(line: string): SlashCommand | undefined {
  const [, word, rest = ''] = /^\/([a-z][\w-]*)\s*([\s\S]*)$/i.exec(line.trim()) ?? []
  switch (word) {
    case undefined:
      return undefined
    case 'clear':
    case 'new':
    case 'reset':
      return { kind: 'clear' }
    case 'exit':
    case 'quit':
      return { kind: 'exit' }
    case 'rename':
      return { kind: 'rename', name: rest.trim() }
    default:
      return { kind: 'unknown', word }
  }
}
