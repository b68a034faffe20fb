import { quoteForShell } from '../io/shell-quote.ts'
import { sessionTarget } from './current-window.ts'
import { scriptPath } from './picker-scripts.ts'
import type { TmuxCommand } from './tmux.ts'

/**
 * Makes panes and windows that the user opens beside a mission start in its directory. A key such as `prefix %` runs the
 * session's default command, in the user's own shell, so the text must mean the same in every shell. The script may be gone
 * after an update of agenc.
 */
export function startShellsBesideMissions(self: readonly string[]): TmuxCommand {
  const script = quoteForShell(scriptPath(self, 'mission-shell.sh'))
  const command = `test -r ${script} && exec /bin/sh ${script}; exec "$SHELL" -l`
  return ['set-option', '-t', `${sessionTarget}:`, 'default-command', command]
}
