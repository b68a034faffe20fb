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

/** Where tmux started this process. A popup has no pane of its own; there the session's number in `$TMUX` tells. */
function callerTarget(env: NodeJS.ProcessEnv): string {
  return env.TMUX_PANE || `$${env.TMUX?.split(',')[2]}:`
}

/** null: this process does not run on that server. */
export function callerOn({ socket }: Tmux, env: NodeJS.ProcessEnv): string | null {
  return socket !== null && socketOf(env) === socket ? callerTarget(env) : null
}

/** null: not inside the agenc session. `AGENC_TMUX` alone leaks into programs started from a pane, so tmux is asked. */
export async function placeInSession({ env, exec }: Context): Promise<Place | null> {
  const socket = socketOf(env)
  if (env.AGENC_TMUX !== '1' || socket === null) return null
  const tmux = tmuxAt(exec, env, socket)
  const format = '#{session_name}\t#{window_id}\t#{pane_id}'
  const answer = await tmux.askMeanwhile(['display-message', '-p', '-t', callerTarget(env), format])
  if (answer.kind !== 'ok') return null
  const [session, window, pane] = (answer.lines[0] ?? '').split('\t')
  if (session !== sessionName || !window) return null
  // Without a pane, tmux would take any session's client for the one that asks.
  return { tmux: tmuxAt(exec, { ...env, TMUX_PANE: pane }, socket), window: window as WindowId }
}
