import { literalMessage, type Tmux } from './tmux.ts'

/**
 * A message to each of these clients, one by one: one that has just left must not keep it from the others.
 * tmux 3.2 takes no client here (its `-c` has lost its argument). Without one, it shows the message to that
 * client of the asking pane's session which was used last.
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
