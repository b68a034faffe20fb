import { usageError } from '../errors.ts'
import { readAll } from '../io/blocking-io.ts'

/** The prompt that a mission starts with: the given text, or stdin for `-`. Returns null if none was given. */
export function firstPrompt(prompt: string | undefined): string | null {
  if (prompt === undefined) return null
  const text = prompt === '-' ? readAll(0) : prompt
  if (text.trim() === '') throw usageError('the prompt is empty', 'Omit --prompt to start without a prompt.')
  return text
}
