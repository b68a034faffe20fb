import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { Tmux } from './tmux.ts'

/** The switcher as an argument list; key bindings start the same one without Node. */
export function switchScript({ self }: Pick<Context, 'self'>, tmux: Tmux, fzf: string): string[] {
  const script = join(self[1]!, '..', '..', 'dist', 'switch.sh')
  return [
    '/bin/sh',
    script,
    tmux.socket ?? tmux.tell(['display-message', '-p', '#{socket_path}'])[0]!,
    fzf,
    ...self,
  ]
}
