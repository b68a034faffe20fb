import type { Context } from '../context.ts'
import { callerOn, type WindowId } from './current-window.ts'
import type { OpenCall } from './open-call.ts'
import type { Tmux } from './tmux.ts'
import { bringToFront } from './windows.ts'

/**
 * A client of another session on the same server is taken along; elsewhere the window waits in front for whoever
 * attaches. In the session itself nobody needs to be moved, and an agent that asks must not fetch a user from elsewhere.
 */
export async function goToWindow(
  context: Context,
  tmux: Tmux,
  window: WindowId,
  ask?: OpenCall['goOn'],
): Promise<number> {
  const caller = callerOn(tmux, context.env)
  await bringToFront(tmux, window, caller, ask)
  if (caller === null) context.err.line('It is in front in the agenc session. To go there: agenc tmux attach')
  return 0
}
