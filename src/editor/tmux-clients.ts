import type { Runner } from '../system/runner.ts'

/** A terminal that shows a tmux session. */
export interface TmuxClient {
  readonly pid: number
  readonly session: string
  readonly activity: number
  /** What tmux writes into the terminal's title, empty where it writes none. */
  readonly title: string
}

/** A pane that is linked into several sessions stands there once for each. */
export interface TmuxPane {
  readonly tty: string
  readonly session: string
}

export interface TmuxServer {
  readonly pid: number
  readonly clients: readonly TmuxClient[]
  readonly panes: readonly TmuxPane[]
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

/** Clients and panes of one server from one call; null where the server does not answer. */
export function readTmuxServer(
  exec: Runner,
  env: NodeJS.ProcessEnv,
  socket: string | null,
): TmuxServer | null {
  const server = socket === null ? [] : ['-S', socket]
  const questions = ['list-clients', '-F', clientFormat, ';', 'list-panes', '-a', '-F', paneFormat]
  const answer = exec.capture('tmux', ['-u', ...server, ...questions], { env })
  return answer.exitCode === 0 ? parseTmuxServer(answer.stdout) : null
}

export function parseTmuxServer(text: string): TmuxServer | null {
  const clients: TmuxClient[] = []
  const panes: TmuxPane[] = []
  let server: number | null = null
  for (const line of text.split('\n')) {
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
    server = Number(pid)
  }
  return server === null ? null : { pid: server, clients, panes }
}

/** The socket in `TMUX=<socket>,<server pid>,<session>`; the path itself may hold commas. */
export function socketOf(variable: string): string | null {
  return /^(.+),\d+,\d+$/.exec(variable)?.[1] ?? null
}
