import { readFileSync } from 'node:fs'
import { quoteForShell } from '../io/shell-quote.ts'
import type { MissionId } from '../mission-id.ts'
import type { Paths } from '../paths.ts'
import { sessionName, sessionTarget } from './current-window.ts'
import type { Tmux, TmuxCommand } from './tmux.ts'
import { line } from './tmux-script.ts'

/** An index that is unlikely to be used by the user's own hooks. */
const hook = 'window-linked[4711]'

/**
 * Makes tmux note the place of every mission's window whenever a window is opened. After a crash nobody could say where
 * they were. `run-shell` expands `#`, in some versions twice, so the script makes that character itself. Any program can
 * set a window's option, so only the characters of a UUID are accepted.
 */
export function noteWindowOrder(tmux: Tmux, paths: Paths): TmuxCommand {
  const socket = tmux.socket === null ? '' : `-S ${quoteForShell(tmux.socket)}`
  const script = [
    `h=$(printf "\\043"); cd ${quoteForShell(paths.missions)} 2>/dev/null || exit 0; umask 077;`,
    `tmux ${socket} list-windows -t ${sessionTarget}: -F "$h{window_index} $h{@agenc_mission_uuid}" 2>/dev/null |`,
    'while read -r place id; do case $id in "" | *[!0-9a-f-]*) ;;',
    '*) [ ! -d "$id" ] || echo "$place" >"$id/window" ;; esac; done; exit 0',
  ].join(' ')
  const isOurs = `#{==:#{hook_session_name},${sessionName}}`
  return ['set-hook', '-g', hook, line(['if-shell', '-F', isOurs, line(['run-shell', '-b', script])])]
}

export const stopNotingOrder: TmuxCommand = ['set-hook', '-gu', hook]

/** The place of the mission's last window among the windows of the session. */
export function lastPlace(paths: Paths, id: MissionId): number {
  try {
    const place = Number.parseInt(readFileSync(paths.mission(id).windowPlace, 'utf8'), 10)
    return Number.isNaN(place) ? Number.POSITIVE_INFINITY : place
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
