import { sessionTarget } from './current-window.ts'
import type { Tmux, TmuxCommand } from './tmux.ts'

/**
 * Sends the clients back to the session they came from if this pane is the last one of the agenc session: tmux would end
 * them together with it.
 */
export function returnClientsOfLastPane(tmux: Tmux, pane: string): void {
  const answer = tmux.ask(
    ['display-message', '-p', '-t', pane, '#{window_panes} #{session_windows}'],
    ['list-clients', '-t', `${sessionTarget}:`, '-F', '#{client_name}'],
  )
  const [counts, ...clients] = answer.kind === 'ok' ? answer.lines : []
  if (counts === '1 1') returnClients(tmux, clients)
}

/** Clients that came from no other session stay, and end with this one. */
export function returnClients(tmux: Tmux, clients: readonly string[]): void {
  for (const client of clients) tmux.ask(returnToLastSession(client))
}

export function returnToLastSession(client: string): TmuxCommand {
  return ['switch-client', '-c', client, '-l']
}
