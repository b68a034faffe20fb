import type { ProcessTable } from '../system/process-table.ts'
import { ancestryOf } from './ancestry.ts'
import { socketOf, type TmuxServer } from './tmux-clients.ts'
import type { ReadVariable } from './variable.ts'

export interface TmuxSearch {
  processes: ProcessTable
  variable: ReadVariable
  /** Sockets that are known beforehand; null is tmux's default one. */
  sockets: readonly (string | null)[]
  read(socket: string | null): TmuxServer | null
}

/**
 * Every tmux server on the way from these processes to a window, each asked once. A client of one may
 * itself sit in a pane of the next; the pane's first process still has the variable that names that
 * server's socket, even where the client was started with `TMUX` unset.
 */
export function findTmuxServers(search: TmuxSearch, pids: readonly number[]): TmuxServer[] {
  const found = new Map<number, TmuxServer>()
  const asked = new Set<string | null>()
  const waiting = [...pids]

  const ask = (socket: string | null) => {
    if (asked.has(socket)) return
    asked.add(socket)
    const server = search.read(socket)
    if (!server || found.has(server.pid)) return
    found.set(server.pid, server)
    waiting.push(...server.clients.map(client => client.pid))
  }

  for (let pid = waiting.shift(); pid !== undefined; pid = waiting.shift()) {
    const { line, tmuxServer } = ancestryOf(search.processes, pid)
    if (!tmuxServer) continue
    search.sockets.forEach(ask)
    if (found.has(tmuxServer.pid)) continue
    const socket = socketOf(search.variable(line.at(-1)!.pid, 'TMUX') ?? '')
    if (socket !== null) ask(socket)
  }
  return [...found.values()]
}
