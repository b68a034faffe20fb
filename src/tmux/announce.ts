import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { literalMessage, type Tmux } from './tmux.ts'

/**
 * Shows a message to each of these clients. They are told one by one, because a client that has just left must not keep
 * it from the others. tmux 3.2 cannot name a client here (its `-c` takes no argument); without one it picks the client of
 * the asking pane's session that was used last.
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

/** Rings a client's bell without ever waiting: a stopped terminal or a hanging connection takes nothing. */
export function ringTerminal(tty: string): void {
  try {
    const descriptor = openSync(tty, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
    try {
      writeSync(descriptor, '\u0007')
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // The client has just left, or its terminal takes no output.
  }
}
