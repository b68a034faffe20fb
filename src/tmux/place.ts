import type { Context } from '../context.ts'
import { socketOf } from './server.ts'
import { type Tmux, tmuxAt } from './tmux.ts'

export type WindowId = string & { readonly brand: 'WindowId' }

export const sessionName = 'agenc'
/** Exactly that one: a bare name also matches `agenc-x`. */
export const sessionTarget = `=${sessionName}`

/** Where in the agenc session this process runs. */
export interface Place {
  tmux: Tmux
  window: WindowId
}

/**
 * null: not inside the agenc session. `AGENC_TMUX` alone leaks into programs started from a pane, so tmux is
 * asked. A popup has no pane of its own; there the session's number in `$TMUX` tells, and its current window.
 */
export function placeInSession({ env, exec }: Context): Place | null {
  const socket = socketOf(env)
  if (env.AGENC_TMUX !== '1' || socket === null) return null
  const tmux = tmuxAt(exec, env, socket)
  const target = env.TMUX_PANE || `$${env.TMUX!.split(',')[2]}:`
  const answer = tmux.ask(['display-message', '-p', '-t', target, '#{session_name}\t#{window_id}'])
  if (answer.kind !== 'ok') return null
  const [session, window] = (answer.lines[0] ?? '').split('\t')
  return session === sessionName && window ? { tmux, window: window as WindowId } : null
}
