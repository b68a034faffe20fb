import type { MissionId } from '../mission-id.ts'
import type { WindowId } from './current-window.ts'
import type { Tmux, TmuxCommand } from './tmux.ts'
import { line } from './tmux-script.ts'

/** A window option: the pane that shows why its mission ended. */
const explainingPane = '@agenc_explaining_pane'

/**
 * Makes tmux keep the pane if the wrapper in it is killed, and run a program there that says so. A wrapper that ends in
 * order exits with a code, or calls `closeWithProgram` before it dies of a signal. tmux does this only once, so that a
 * machine without memory is not kept busy.
 */
export function explainCrash(
  self: readonly string[],
  pane: string,
  missionId: MissionId,
  environment: Record<string, string> = {},
): TmuxCommand[] {
  const variables = Object.entries(environment).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const explain = [
    line(['set-option', '-p', 'remain-on-exit', 'off']),
    line(['respawn-pane', ...variables, ...self, 'mission', '_run-wrapper', missionId, '--killed']),
  ].join(' ; ')
  return [
    ['set-option', '-p', '-t', pane, 'remain-on-exit', 'failed'],
    // Only a program that was killed has no exit status.
    [
      'set-hook',
      '-p',
      '-t',
      pane,
      'pane-died',
      line(['if-shell', '-F', '#{pane_dead_status}', 'kill-pane', explain]),
    ],
  ]
}

/**
 * Makes tmux look for programs that have ended. Before 3.6 it may miss one: when a pane's terminal closes, tmux removes the
 * pane from the list of logins (utmp), and ignores SIGCHLD meanwhile. The pane then stays dead, and no hook runs, until
 * another program that tmux has started ends.
 */
export const noticeEndedPrograms: TmuxCommand = ['run-shell', '-b', ':']

export function closeWithProgram(pane: string): TmuxCommand {
  return ['set-option', '-p', '-t', pane, 'remain-on-exit', 'off']
}

/** Marks the pane as one that shows why its mission ended, or no longer does. */
export function markExplaining(pane: string, isExplaining: boolean): TmuxCommand {
  return ['set-option', '-w', '-t', pane, explainingPane, isExplaining ? pane : '']
}

export interface OldWindow {
  window: WindowId
  /** The pane that shows why the mission ended, or null. */
  explaining: string | null
}

/** The windows of these missions, none of which runs. Empty if tmux does not answer. */
export function oldWindowsOf(tmux: Tmux, missions: readonly MissionId[]): OldWindow[] {
  const format = `#{window_id}\t#{@agenc_mission_uuid}\t#{${explainingPane}}`
  const answer = tmux.ask(['list-windows', '-a', '-F', format])
  if (answer.kind !== 'ok') return []
  return answer.lines
    .map(text => text.split('\t'))
    .filter(([, mission]) => missions.includes(mission as MissionId))
    .map(([window, , pane]) => ({ window: window as WindowId, explaining: pane || null }))
}

/** Closes the panes that show why these missions ended. */
export function closeExplanations(tmux: Tmux, missions: readonly MissionId[]): void {
  for (const { explaining } of oldWindowsOf(tmux, missions))
    if (explaining !== null) tmux.ask(['kill-pane', '-t', explaining])
}
