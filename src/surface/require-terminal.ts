import { closeSync, openSync } from 'node:fs'
import type { Context } from '../context.ts'
import { usageError } from '../errors.ts'

/** Said before anything is created. A prompt may come through stdin as long as there is a terminal for the keys. */
export function requireTerminal(context: Context, { stdinIsPrompt = false } = {}): void {
  const hasKeys = Boolean(context.stdin.isTTY) || (stdinIsPrompt && canOpenTerminal())
  if (context.out.isTerminal && hasKeys) return
  throw usageError(
    'Claude needs a terminal to run in, and this is none',
    'Run this in a terminal, or inside the agenc session (agenc tmux attach).',
  )
}

function canOpenTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r+'))
    return true
  } catch {
    return false
  }
}
