import { randomUuid } from '../io/random.ts'
import type { Tmux, TmuxCommand } from './tmux.ts'

/** Presses keys in one pane. A pane that the user scrolls back would take them for itself, so scrolling ends first. */
export function paneKeyboard(tmux: Tmux, pane: string) {
  const leaveMode: TmuxCommand = [
    'if-shell',
    '-F',
    '-t',
    pane,
    '#{pane_in_mode}',
    `send-keys -t ${pane} -X cancel`,
  ]
  return {
    press: (keys: readonly string[]) => tmux.ask(leaveMode, ['send-keys', '-t', pane, ...keys]).kind === 'ok',
    paste: (text: string) => {
      const buffer = `agenc-${randomUuid()}`
      const load: TmuxCommand = ['load-buffer', '-b', buffer, '-']
      // -p: the program sees that it is a paste. -d: the buffer is deleted.
      const paste: TmuxCommand = ['paste-buffer', '-p', '-d', '-b', buffer, '-t', pane]
      return tmux.askWith(text, leaveMode, load, paste).kind === 'ok'
    },
  }
}
