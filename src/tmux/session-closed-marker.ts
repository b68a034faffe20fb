import { statSync, writeFileSync } from 'node:fs'
import { quoteForShell } from '../io/shell-quote.ts'
import type { Paths } from '../paths.ts'
import { sessionName } from './current-window.ts'
import type { Tmux, TmuxCommand } from './tmux.ts'
import { literal } from './tmux.ts'

/** A place of our own in tmux's list of global hooks. */
const hook = 'session-closed[4711]'
const freshMs = 30_000

/**
 * A wrapper that is hung up on finds the server gone, both when the last session was closed and when tmux went
 * down. So tmux leaves a mark when the session is closed, provided that the server still answers by then: one that
 * is being killed does not.
 */
export function markWhenClosed(tmux: Tmux, paths: Paths): TmuxCommand {
  const socket = tmux.socket === null ? '' : `-S ${quoteForShell(tmux.socket)}`
  const script = `umask 077; tmux ${socket} show-options -s exit-empty >/dev/null 2>&1 && : >${quoteForShell(paths.sessionClosed)}`
  const isOurs = `#{==:#{hook_session_name},${sessionName}}`
  return ['set-hook', '-g', hook, `if-shell -F '${isOurs}' { if-shell ${tmuxQuoted(literal(script))} {} }`]
}

export const stopMarking: TmuxCommand = ['set-hook', '-gu', hook]

/** For whoever closes the session: its wrappers then need not care for windows that go with it. */
export function markClosed(paths: Paths): void {
  writeFileSync(paths.sessionClosed, '', { mode: 0o600 })
}

/** Was the session closed by somebody, just now? */
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
