import type { Context } from '../context.ts'
import { type Tmux, type TmuxCommand, tmuxAt } from './tmux.ts'
import { type Answer, cannotBeAsked } from './tmux-answer.ts'
import { parseTmuxVariable } from './tmux-variable.ts'
import { type OpenCall, openCall } from './two-step-call.ts'

export type WindowId = string & { readonly brand: 'WindowId' }

export const sessionName = 'agenc'
/** The `=` makes tmux compare the whole name: a bare `agenc` also matches `agenc-x`. */
export const sessionTarget = `=${sessionName}`

/** The window of the agenc session in which this process runs. */
export interface CurrentWindow {
  tmux: Tmux
  window: WindowId
}

/** A current window whose tmux call is still open and takes more commands. */
export interface OpenCurrentWindow extends CurrentWindow {
  continueWith: OpenCall['continueWith']
}

/** The pane that tmux started this process in. A popup has no pane, but `$TMUX` names its session. */
function callerTarget(env: NodeJS.ProcessEnv): string {
  return env.TMUX_PANE || `$${parseTmuxVariable(env.TMUX)?.session}:`
}

/** Returns a target for the place this process runs in, or null if it does not run on that server. */
export function callerOn({ socket }: Tmux, env: NodeJS.ProcessEnv): string | null {
  return socket !== null && parseTmuxVariable(env.TMUX)?.socket === socket ? callerTarget(env) : null
}

/**
 * Returns null outside the agenc session. `AGENC_TMUX` alone does not prove it, because the variable leaks into programs
 * started from a pane, so tmux is asked. Throws if it does not answer.
 */
export function currentWindow(context: Context): CurrentWindow | null {
  const tmux = tmuxAround(context)
  return tmux && windowIn(context, tmux, tmux.ask(whereIs(context.env)))
}

/** Like `currentWindow`, but keeps the tmux call open, so that it can open a window there. */
export async function openCurrentWindow(context: Context): Promise<OpenCurrentWindow | null> {
  const tmux = tmuxAround(context)
  if (tmux === null) return null
  const { answer, continueWith } = await openCall(tmux, whereIs(context.env))
  const found = windowIn(context, tmux, answer)
  if (found === null) void continueWith()
  return found && { ...found, continueWith }
}

function tmuxAround({ env, exec }: Context): Tmux | null {
  const own = parseTmuxVariable(env.TMUX)
  return env.AGENC_TMUX === '1' && own ? tmuxAt(exec, env, own.socket) : null
}

function whereIs(env: NodeJS.ProcessEnv): TmuxCommand {
  return ['display-message', '-p', '-t', callerTarget(env), '#{session_name}\t#{window_id}\t#{pane_id}']
}

function windowIn({ env, exec }: Context, { socket }: Tmux, answer: Answer): CurrentWindow | null {
  if (answer.kind === 'failed' && answer.timedOut) throw cannotBeAsked(answer)
  if (answer.kind !== 'ok') return null
  const [session, window, pane] = (answer.lines[0] ?? '').split('\t')
  if (session !== sessionName || !window) return null
  // In a popup TMUX_PANE is not set. Without it, tmux might act for a client of another session.
  return { tmux: tmuxAt(exec, { ...env, TMUX_PANE: pane }, socket), window: window as WindowId }
}
