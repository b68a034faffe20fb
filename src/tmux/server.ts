import { readFileSync } from 'node:fs'
import type { Context } from '../context.ts'
import { writeFileAtomically } from '../io/files.ts'
import { type Tmux, tmuxAt } from './tmux.ts'
import { parseTmuxVariable } from './tmux-variable.ts'

/** The socket of the server on which `attach` found or created the session. All later commands use that server. */
function recordedSocket({ paths }: Context): string | null {
  try {
    return readFileSync(paths.tmuxSocket, 'utf8').trim() || null
  } catch {
    return null
  }
}

/** The socket of the tmux server that this process runs in, or null outside tmux. */
export function ownSocket(env: NodeJS.ProcessEnv): string | null {
  return parseTmuxVariable(env.TMUX)?.socket ?? null
}

/** The recorded server takes precedence over `$TMUX`, because a pane of the session may run another tmux server. */
export function tmuxOf(context: Context): Tmux {
  return tmuxAt(context.exec, context.env, recordedSocket(context) ?? ownSocket(context.env))
}

/**
 * The servers that may have the session, most likely first. The recorded one may be gone for good, for instance after a
 * reboot, together with the directory of its socket.
 */
export function candidateServers(context: Context): [Tmux, Tmux?] {
  const recorded = tmuxOf(context)
  const own = tmuxAt(context.exec, context.env, ownSocket(context.env))
  return own.socket === recorded.socket ? [recorded] : [recorded, own]
}

/** Records this server as the one that has the session. Returns null if the server has ended in the meantime. */
export function adoptServer(context: Context, tmux: Tmux): Tmux | null {
  const answer = tmux.ask(['display-message', '-p', '#{socket_path}'])
  const socket = answer.kind === 'ok' ? answer.lines[0] : undefined
  if (!socket) return null
  if (recordedSocket(context) !== socket) writeFileAtomically(context.paths.tmuxSocket, `${socket}\n`)
  return tmuxAt(context.exec, context.env, socket)
}
