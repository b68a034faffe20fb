import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { HeadlessSurface } from './no-terminal.ts'
import type { Surface } from './surface.ts'
import { hasOwnTerminal, TerminalSurface } from './terminal.ts'
import { TmuxWindow } from './tmux-window.ts'

/** The surface that this process runs on. Under a shell, a pane of the session is only a terminal. */
export function surfaceHere(context: Context, config: Config): Surface {
  return (hasOwnTerminal() ? TmuxWindow.of(context, config) : null) ?? new TerminalSurface(context)
}

/** For a process that was started to run this mission. */
export function surfaceFor(
  context: Context,
  config: Config,
  { id, headless }: Pick<MissionRecord, 'id' | 'headless'>,
): Surface {
  return headless === 1
    ? new HeadlessSurface(context.paths.mission(id).outputLog)
    : surfaceHere(context, config)
}
