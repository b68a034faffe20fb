import type { Context } from '../context.ts'
import type { OpenCall } from './open-call.ts'
import { socketOf } from './server.ts'
import { type Tmux, type TmuxCommand, tmuxAt } from './tmux.ts'
import type { Answer } from './tmux-answer.ts'

export type WindowId = string & { readonly brand: 'WindowId' }

export const sessionName = 'agenc'
/** Exactly that one: a bare name also matches `agenc-x`. */
export const sessionTarget = `=${sessionName}`

/** Where in the agenc session this process runs. */
export interface Place {
  tmux: Tmux
  window: WindowId
}

/** With the call that told of it still open. */
export interface OpenPlace extends Place {
  goOn: OpenCall['goOn']
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
export function placeInSession(context: Context): Place | null {
  const tmux = tmuxAround(context)
  return tmux && placeIn(context, tmux, tmux.ask(whereIs(context.env)))
}

/** The same, in a call that can go on to open a window there. */
export async function enterSession(context: Context): Promise<OpenPlace | null> {
  const tmux = tmuxAround(context)
  if (tmux === null) return null
  const { answer, goOn } = await tmux.openCall(whereIs(context.env))
  const place = placeIn(context, tmux, answer)
  if (place === null) void goOn()
  return place && { ...place, goOn }
}

function tmuxAround({ env, exec }: Context): Tmux | null {
  const socket = socketOf(env)
  return env.AGENC_TMUX === '1' && socket !== null ? tmuxAt(exec, env, socket) : null
}

function whereIs(env: NodeJS.ProcessEnv): TmuxCommand {
  return ['display-message', '-p', '-t', callerTarget(env), '#{session_name}\t#{window_id}\t#{pane_id}']
}

function placeIn({ env, exec }: Context, { socket }: Tmux, answer: Answer): Place | null {
  if (answer.kind !== 'ok') return null
  const [session, window, pane] = (answer.lines[0] ?? '').split('\t')
  if (session !== sessionName || !window) return null
  // Without a pane, tmux would take any session's client for the one that asks. The call itself names its targets.
  return { tmux: tmuxAt(exec, { ...env, TMUX_PANE: pane }, socket), window: window as WindowId }
}
