import { basename } from 'node:path'
import { type Choice, hasDisplay } from './choose-editor.ts'

/** Editors that run in the terminal they are started from. */
const inTerminal = new Set(
  'vi vim nvim view vimdiff elvis nano pico rnano hx helix kak micro joe jed ne mg mcedit tilde dte amp ed ex'.split(
    ' ',
  ),
)

/** Editors with a window of their own, which users put into `$VISUAL` or `$EDITOR`. */
const withWindow = new Set(
  'code codium code-insiders cursor windsurf zed zeditor subl sublime_text mate gedit gnome-text-editor kate kwrite gvim mvim neovide emacs emacsclient xdg-open open idea webstorm pycharm goland bbedit'.split(
    ' ',
  ),
)

const emacsInTerminal = /^(-nw|--no-window-system|-t|--tty)$/

/** Whether the editor needs a terminal to run in. */
export function runsInTerminal({ kind, command }: Choice, env: NodeJS.ProcessEnv): boolean {
  if (kind === 'ide' || kind === 'terminal') return false
  const [program, ...args] = command
  const name = basename(program!)
  if (/^emacs(client)?(-|$)/.test(name)) {
    return args.some(arg => emacsInTerminal.test(arg)) || !hasDisplay({ platform: process.platform, env })
  }
  return inTerminal.has(name) || (kind === 'variable' && !withWindow.has(name))
}
