import { readFileSync } from 'node:fs'
import type { Context } from '../context.ts'
import { writeFileAtomically } from '../io/files.ts'
import { type Tmux, tmuxAt } from './tmux.ts'

/** The server that `attach` was run against, so that every later command asks the same one. */
export function recordedSocket(context: Context): string | null {
  try {
    return readFileSync(context.paths.tmuxSocket, 'utf8').trim() || null
  } catch {
    return null
  }
}

/** `$TMUX` is `<socket>,<server pid>,<session number>`. */
export function socketOf(env: NodeJS.ProcessEnv): string | null {
  return env.TMUX?.split(',')[0] || null
}

/** The recorded one also where `$TMUX` names another: from a pane of agenc's a tmux of the user's own may be started. */
export function tmuxOf(context: Context): Tmux {
  return tmuxAt(context.exec, context.env, recordedSocket(context) ?? socketOf(context.env))
}

/** From now on this server is the one, by the path of its socket. null: it is gone again. */
export function adoptServer(context: Context, tmux: Tmux): Tmux | null {
  const answer = tmux.ask(['display-message', '-p', '#{socket_path}'])
  const socket = answer.kind === 'ok' ? answer.lines[0] : undefined
  if (!socket) return null
  if (recordedSocket(context) !== socket) writeFileAtomically(context.paths.tmuxSocket, `${socket}\n`)
  return tmuxAt(context.exec, context.env, socket)
}
