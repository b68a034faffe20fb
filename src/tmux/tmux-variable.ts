/** The parts of `$TMUX`: the server and session in which a process was started. */
export interface TmuxVariable {
  socket: string
  serverPid: number
  /** The session's number, without its `$`. */
  session: string
}

/**
 * Parses `<socket>,<server pid>,<session number>`. The socket's path may contain commas, so the last two fields are
 * split off. Returns null outside tmux.
 */
export function parseTmuxVariable(value: string | undefined): TmuxVariable | null {
  const [, socket, pid, session] = /^(.+),(\d+),(-?\d+)$/s.exec(value ?? '') ?? []
  return socket ? { socket, serverPid: Number(pid), session: session! } : null
}
