import { sessionTarget } from './current-window.ts'
import type { Tmux, TmuxCommand } from './tmux.ts'

/** A client that came from another session goes back there before the last window closes: tmux would end it. */
export function sendClientsBack(tmux: Tmux, pane: string): void {
  const answer = tmux.ask(
    ['display-message', '-p', '-t', pane, '#{window_panes} #{session_windows}'],
    ['list-clients', '-t', `${sessionTarget}:`, '-F', '#{client_name}'],
  )
  const [counts, ...clients] = answer.kind === 'ok' ? answer.lines : []
  if (counts === '1 1') sendBack(tmux, clients)
}

/** Before the session ends. Those that came from nowhere else stay, and end with it. */
export function sendBack(tmux: Tmux, clients: readonly string[]): void {
  for (const client of clients) tmux.ask(sendingBack(client))
}

export function sendingBack(client: string): TmuxCommand {
  return ['switch-client', '-c', client, '-l']
}
