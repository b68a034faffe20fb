import { statSync, writeFileSync } from 'node:fs'
import { quoteForShell } from '../io/shell-quote.ts'
import type { Paths } from '../paths.ts'
import { sessionName } from './current-window.ts'
import type { Tmux, TmuxCommand } from './tmux.ts'
import { literal } from './tmux.ts'

/** An index that is unlikely to be used by the user's own hooks. */
const hook = 'session-closed[4711]'
const freshMs = 30_000

/**
 * Makes tmux touch a file when the session is closed. A wrapper that gets SIGHUP finds the server gone in two cases: the
 * user closed the last session, or tmux was killed. The file tells them apart, because a server that is being killed no
 * longer answers and leaves no mark.
 */
export function markWhenClosed(tmux: Tmux, paths: Paths): TmuxCommand {
  const socket = tmux.socket === null ? '' : `-S ${quoteForShell(tmux.socket)}`
  const script = `umask 077; tmux ${socket} show-options -s exit-empty >/dev/null 2>&1 && : >${quoteForShell(paths.sessionClosed)}`
  const isOurs = `#{==:#{hook_session_name},${sessionName}}`
  return ['set-hook', '-g', hook, `if-shell -F '${isOurs}' { if-shell ${tmuxQuoted(literal(script))} {} }`]
}

export const stopMarking: TmuxCommand = ['set-hook', '-gu', hook]

/** Marks the session as closed by agenc itself, so that its wrappers do not treat their missions as lost. */
export function markClosed(paths: Paths): void {
  writeFileSync(paths.sessionClosed, '', { mode: 0o600 })
}

/** Whether the session was closed, rather than killed, within the last seconds. */
export function wasJustClosed(paths: Paths, now: Date): boolean {
  try {
    return now.getTime() - statSync(paths.sessionClosed).mtimeMs < freshMs
  } catch {
    return false
  }
}

function tmuxQuoted(text: string): string {
  return `"${text.replace(/["\\$]/g, '\\$&')}"`
}
