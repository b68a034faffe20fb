import type { Context } from '../context.ts'
import { tmuxOf } from './server.ts'
import { tmuxAt } from './tmux.ts'
import { parseTmuxVariable } from './tmux-variable.ts'

/** A terminal that shows a tmux session. */
export interface TmuxClient {
  readonly pid: number
  readonly session: string
  /** When the client was last used, in seconds. */
  readonly activity: number
  /** The title that tmux gives the terminal, or '' if it gives none. */
  readonly title: string
}

export interface ClientsAndPanes {
  /** The server's own. */
  readonly pid: number
  readonly clients: readonly TmuxClient[]
  /** A pane that is linked into several sessions is listed once per session. */
  readonly panes: readonly { readonly tty: string; readonly session: string }[]
}

export function tmuxClients(context: Context) {
  return clientsFrom(context, tmuxOf(context).socket)
}

/** Tells which terminals are attached to a tmux server. src/editor finds windows by them. */
export function clientsFrom({ exec, env }: Pick<Context, 'exec' | 'env'>, agencSocket: string | null) {
  return {
    agencSocket,
    /** Asks in one call. Returns null if the server does not answer. */
    readServer: (socket: string | null): ClientsAndPanes | null => {
      const answer = tmuxAt(exec, env, socket).ask(
        ['list-clients', '-F', clientFormat],
        ['list-panes', '-a', '-F', paneFormat],
      )
      return answer.kind === 'ok' ? parseClientsAndPanes(answer.lines) : null
    },
    socketIn: (tmuxVariable: string | null) => parseTmuxVariable(tmuxVariable ?? undefined)?.socket ?? null,
  }
}

const clientFormat = [
  'client',
  '#{pid}',
  '#{client_pid}',
  '#{session_id}',
  '#{client_activity}',
  '#{?set-titles,#{T:set-titles-string},}',
].join('\t')
const paneFormat = ['pane', '#{pid}', '#{pane_tty}', '#{session_id}'].join('\t')

export function parseClientsAndPanes(lines: readonly string[]): ClientsAndPanes | null {
  const clients: TmuxClient[] = []
  const panes: { tty: string; session: string }[] = []
  let serverPid: number | null = null
  for (const line of lines) {
    const [kind, pid, ...fields] = line.split('\t')
    if (kind === 'client') {
      const [clientPid, session, activity, ...title] = fields
      clients.push({
        pid: Number(clientPid),
        session: session!,
        activity: Number(activity),
        title: title.join('\t'),
      })
    } else if (kind === 'pane') {
      panes.push({ tty: fields[0]!, session: fields[1]! })
    } else continue
    serverPid = Number(pid)
  }
  return serverPid === null ? null : { pid: serverPid, clients, panes }
}
