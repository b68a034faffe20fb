import type { Context } from '../context.ts'
import { placeInSession, type WindowId } from '../tmux/place.ts'
import { socketOf } from '../tmux/server.ts'
import type { Tmux } from '../tmux/tmux.ts'
import { bringToFront } from '../tmux/windows.ts'

/**
 * A client of another session on the same server is taken along; elsewhere the window waits in front for whoever
 * attaches. In the session itself nobody needs to be moved, and an agent that asks must not fetch a user from elsewhere.
 */
export function goToWindow(context: Context, tmux: Tmux, window: WindowId): number {
  const isOnServer = socketOf(context.env) !== null && socketOf(context.env) === tmux.socket
  bringToFront(tmux, window, { switchClient: isOnServer && placeInSession(context) === null })
  if (!isOnServer) context.err.line('It is in front in the agenc session. To go there: agenc tmux attach')
  return 0
}
