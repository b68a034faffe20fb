import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { literalMessage, type Tmux } from './tmux.ts'

/**
 * Shows a message to each of these clients. There is one call per client, because tmux stops at a client that has just
 * left. In tmux 3.2, `-c` takes no argument. Without it, tmux picks the client of the caller's session that was used
 * last.
 */
export function announce(tmux: Tmux, clients: readonly string[], words: string): void {
  const text = literalMessage(words)
  for (const client of clients) {
    const answer = tmux.ask(['display-message', '-c', client, text])
    if (answer.kind === 'failed' && answer.message.startsWith('usage:')) {
      tmux.ask(['display-message', text])
      return
    }
  }
}

/** Rings a client's bell. Never blocks, even if the terminal is stopped or its connection hangs. */
export function ringTerminal(tty: string): void {
  try {
    const descriptor = openSync(tty, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
    try {
      writeSync(descriptor, '\u0007')
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // The client has just left, or its terminal accepts no output.
  }
}
