import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { Tmux } from './tmux.ts'

type Self = Pick<Context, 'self' | 'paths'>

/** The command line of the switcher. Key bindings run it directly, without starting Node. */
export function switchScript({ self, paths }: Self, tmux: Tmux, fzf: string): string[] {
  const socket = tmux.socket ?? tmux.tell(['display-message', '-p', '#{socket_path}'])[0]!
  return ['/bin/sh', scriptPath(self, 'switcher.sh'), socket, paths.missions, fzf, ...self]
}

/** The command line of the picker for a new mission. */
export function newScript({ self, paths }: Self, fzf: string): string[] {
  return ['/bin/sh', scriptPath(self, 'repo-picker.sh'), paths.repoChoices, fzf, ...self]
}

/** Shows what a mission has changed. The mission and the command of agenc follow. */
export function diffScript({ self }: Pick<Self, 'self'>): string[] {
  return ['/bin/sh', scriptPath(self, 'diff-popup.sh')]
}

export function scriptPath([, program]: readonly string[], name: string): string {
  return join(program!, '..', '..', 'dist', name)
}
