import { basename } from 'node:path'
import { usageError } from '../../errors.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

export function isShell(word: string): word is Shell {
  return (shells as readonly string[]).includes(word)
}

/** The user's own, by `$SHELL`; null for one that cannot be served. */
export function shellOf(env: NodeJS.ProcessEnv): Shell | null {
  const name = basename(env.SHELL ?? '')
  return isShell(name) ? name : null
}

export function shellNamed(word: string): Shell {
  if (isShell(word)) return word
  throw usageError(`there is no completion for ${JSON.stringify(word)}`, `Name one of ${shells.join(', ')}.`)
}
