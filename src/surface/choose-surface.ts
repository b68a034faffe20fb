import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import type { Surface } from './surface.ts'
import { hasOwnTerminal, TerminalSurface } from './terminal.ts'
import { TmuxWindow } from './tmux-window.ts'

/** The surface that this process runs on. Under a shell, a pane of the session is only a terminal. */
export function surfaceHere(context: Context, config: Config): Surface {
  return (hasOwnTerminal() ? TmuxWindow.of(context, config) : null) ?? new TerminalSurface(context)
}
