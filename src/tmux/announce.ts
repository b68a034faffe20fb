import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { missionLabel } from './status-style.ts'
import { literalMessage, type Tmux, type TmuxCommand } from './tmux.ts'

/** How long a message stays, unless a key is pressed. */
export const messageMs = 4_000

/** Shows a message to the caller's client. */
export function message(words: string): TmuxCommand {
  return ['display-message', '-d', String(messageMs), literalMessage(words)]
}

/**
 * Shows a message to each of these clients. There is one call per client, because tmux stops at a client that has just
 * left. In tmux 3.2, `-c` takes no argument. Without it, tmux picks the client of the caller's session that was used
 * last.
 */
export function announce(tmux: Tmux, clients: readonly string[], words: string): void {
  show(tmux, clients, [literalMessage(words)])
}

/** Shows a message that begins with the label of the mission in this pane. */
export function announceMission(tmux: Tmux, clients: readonly string[], pane: string, words: string): void {
  show(tmux, clients, ['-t', pane, `${missionLabel} ${literalMessage(words)}`])
}

function show(tmux: Tmux, clients: readonly string[], message: readonly string[]): void {
  const command = ['display-message', '-d', String(messageMs)]
  for (const client of clients) {
    const answer = tmux.ask([...command, '-c', client, ...message])
    if (answer.kind === 'failed' && answer.message.startsWith('usage:')) {
      tmux.ask([...command, ...message])
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
