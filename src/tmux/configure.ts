import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { sessionLooks } from './looks.ts'
import { sessionName } from './place.ts'
import type { Tmux, TmuxCommand } from './tmux.ts'

/** A place of our own in tmux's list of global hooks. */
const hook = 'session-closed[4711]'

/** Keys and looks of the agenc session. Doing it again changes nothing. */
export function configureSession(_context: Context, tmux: Tmux, _config: Config['tmux']): void {
  tmux.ask(...sessionLooks(), keepServerForAMoment)
}

/**
 * When the session is killed and was the last one, the server stays for the moment in which the wrappers ask
 * whether it is still there: that tells "the user closed it" from "tmux went down".
 */
const keepServerForAMoment: TmuxCommand = [
  'set-hook',
  '-g',
  hook,
  `if-shell -F '#{==:#{hook_session_name},${sessionName}}' 'run-shell "sleep 1"'`,
]

/** Everything that is not the session's own is put back as it was. */
export function unconfigure(tmux: Tmux): void {
  tmux.ask(['set-hook', '-gu', hook])
}
