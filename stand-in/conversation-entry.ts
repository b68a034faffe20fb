/** One thing in the conversation, as the screen shows it. */
export type Entry =
  | { kind: 'user'; text: string }
  | { kind: 'assistant'; text: string }
  | { kind: 'tool'; text: string; detail?: string }
  | { kind: 'note'; text: string }
