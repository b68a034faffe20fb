import { sessionTarget } from './current-window.ts'
import type { Tmux, TmuxCommand } from './tmux.ts'

/**
 * Sends the clients back to the session they came from if this pane is the last one of the agenc session. tmux would
 * otherwise detach them when the session ends.
 */
export function returnClientsOfLastPane(tmux: Tmux, pane: string): void {
  const answer = tmux.ask(
    ['display-message', '-p', '-t', pane, '#{window_panes} #{session_windows}'],
    ['list-clients', '-t', `${sessionTarget}:`, '-F', '#{client_name}'],
  )
  const [counts, ...clients] = answer.kind === 'ok' ? answer.lines : []
  if (counts === '1 1') returnClients(tmux, clients)
}

/** A client that came from no other session stays, and is detached when this session ends. */
export function returnClients(tmux: Tmux, clients: readonly string[]): void {
  for (const client of clients) tmux.ask(returnToLastSession(client))
}

export function returnToLastSession(client: string): TmuxCommand {
  return ['switch-client', '-c', client, '-l']
}
