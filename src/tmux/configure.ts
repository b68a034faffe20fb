import { rmSync } from 'node:fs'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { markWhenClosed, stopMarking } from './closed-mark.ts'
import { sessionLooks } from './looks.ts'
import type { Tmux } from './tmux.ts'

/** Keys and looks of the agenc session. Doing it again changes nothing. */
export function configureSession(context: Context, tmux: Tmux, _config: Config['tmux']): void {
  rmSync(context.paths.sessionClosed, { force: true })
  tmux.ask(...sessionLooks(), markWhenClosed(tmux, context.paths))
}

/** Everything that is not the session's own is put back as it was. */
export function unconfigure(tmux: Tmux): void {
  tmux.ask(stopMarking)
}
