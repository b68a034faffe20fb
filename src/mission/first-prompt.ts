import { writeFileSync } from 'node:fs'
import { usageError } from '../errors.ts'
import { readAll } from '../io/blocking-io.ts'
import { removeFile } from '../io/files.ts'
import type { MissionPaths } from '../paths.ts'

/** The prompt that a mission starts with: the given text, or stdin for `-`. Returns null if none was given. */
export function firstPrompt(prompt: string | undefined): string | null {
  if (prompt === undefined) return null
  const text = prompt === '-' ? readAll(0) : prompt
  if (text.trim() === '') throw usageError('the prompt is empty', 'Omit --prompt to start without a prompt.')
  return text
}

/** Keeps a prompt for the next start of the mission. */
export function keepPrompt({ prompt, commandGiven }: MissionPaths, text: string): void {
  removeFile(commandGiven)
  writeFileSync(prompt, text, { mode: 0o600 })
}
