import { rmSync } from 'node:fs'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { findProgram } from '../system/find-program.ts'
import { injectKeys } from './keys/inject.ts'
import { type KeyPrograms, keyTable } from './keys/key-table.ts'
import { newScript, switchScript } from './picker-scripts.ts'
import { markWhenClosed } from './session-closed-marker.ts'
import { sessionLooks } from './status-style.ts'
import type { Tmux } from './tmux.ts'

/** Keys and looks of the agenc session. Doing it again changes nothing. */
export function configureSession(context: Context, tmux: Tmux, config: Config['tmux']): void {
  const { exec, env, paths } = context
  rmSync(paths.sessionClosed, { force: true })
  tmux.ask(...sessionLooks(), markWhenClosed(tmux, paths))
  injectKeys({ exec, env, tmux }, keyTable(config.keys, programs(context, tmux)), config.prefix_key)
}

/** By absolute paths: an old server may have an old PATH, or none to speak of. */
function programs({ self, env, paths }: Context, tmux: Tmux): KeyPrograms {
  const fzf = findProgram('fzf', env)
  return {
    agenc: self,
    tmux: findProgram('tmux', env) ?? undefined,
    ...(fzf === null
      ? {}
      : { switch: switchScript({ self }, tmux, fzf), new: newScript({ self, paths }, fzf) }),
  }
}
