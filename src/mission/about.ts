import { maskSecrets } from '../approvals/mask-secrets.ts'
import { cleanText } from '../io/text.ts'

const longestAbout = 200
/** Enough to recognise a secret that begins within the text that is kept. Patterns cannot search many megabytes. */
const searched = 10_000

/** The first line of a prompt, which tells in lists what a mission is about. Returns null if no text is left. */
export function aboutFrom(prompt: string | null): string | null {
  const line = (prompt ?? '').split('\n').map(cleanText).find(Boolean)
  return line === undefined ? null : [...maskSecrets(line.slice(0, searched))].slice(0, longestAbout).join('')
}
