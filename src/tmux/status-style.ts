import { sessionTarget } from './current-window.ts'
import type { TmuxCommand } from './tmux.ts'

const isState = (state: string) => `#{==:#{@agenc_state},${state}}`

/** A sign in addition to the colour, for terminals and users that cannot tell colours apart. */
const sign = `#{?${isState('waiting')},!,#{?${isState('busy')},*,#{?${isState('starting')},~,#{?@agenc_done,+,-}}}}`
const colour = `#{?${isState('waiting')},yellow#,bold,#{?${isState('busy')},green,#{?@agenc_done,magenta,cyan}}}`

/** Options of a mission's window. Every session that shows the window draws it according to its state. */
export const windowStyle: Record<string, string> = {
  'window-status-format': `#[fg=${colour}]#I${sign}#{@agenc_title}#[default]`,
  'window-status-current-format': `#[fg=${colour},reverse]#I${sign}#{@agenc_title}#[default]`,
}

const count = (state: string) => `#{n:#{W:#{?${isState(state)},x,}}}`
const part = (state: string, style: string) =>
  `#{?#{!=:${count(state)},0},#[fg=${style}]${count(state)} ${state}#[default] ,}`

const restorable =
  '#{?@agenc_restorable,#[fg=red]#{@agenc_restorable} to restore: agenc tmux restore#[default] ,}'

/** Uses the status line, because a message would cover the screen until a key is pressed. */
export function showRestorable(count: number): TmuxCommand {
  return ['set-option', '-t', `${sessionTarget}:`, '@agenc_restorable', count > 0 ? String(count) : '']
}

/** Options of the agenc session only. tmux itself counts the windows in each state. */
export function sessionStyle(): TmuxCommand[] {
  const options = {
    'status-right': `${restorable}${part('waiting', 'yellow#,bold')}${part('busy', 'green')}${part('idle', 'cyan')}`,
    'status-right-length': '80',
    'set-titles': 'on',
    'set-titles-string': 'agenc: #W',
  }
  return [
    ...Object.entries(options).map(([name, value]) => ['set-option', '-t', `${sessionTarget}:`, name, value]),
    ['set-hook', '-t', `${sessionTarget}:`, 'session-window-changed', 'set-option -wu @agenc_done'],
  ]
}
