import { existsSync, rmSync } from 'node:fs'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { findProgram } from '../system/find-program.ts'
import { noticeEndedPrograms } from './after-crash.ts'
import { injectKeys } from './keys/inject.ts'
import { type KeyPrograms, keyHints, keyTable } from './keys/key-table.ts'
import { startShellsBesideMissions } from './mission-shell.ts'
import { diffScript, newScript, switchScript } from './picker-scripts.ts'
import { markWhenClosed } from './session-closed-marker.ts'
import { showHold, statusBar } from './status-bar.ts'
import type { Tmux } from './tmux.ts'
import { noteWindowOrder } from './window-order.ts'

/** Binds the keys and sets the style of the agenc session. Running it again changes nothing. */
export function configureSession(context: Context, tmux: Tmux, config: Config['tmux']): void {
  const { paths } = context
  rmSync(paths.sessionClosed, { force: true })
  tmux.ask(
    ...statusBar(keyHints(config.keys)),
    showHold(existsSync(paths.hold)),
    markWhenClosed(tmux, paths),
    noteWindowOrder(tmux, paths),
    startShellsBesideMissions(context.self),
    noticeEndedPrograms,
  )
  injectKeys(tmux, keyTable(config.keys, programs(context, tmux)), config.prefix_key)
}

/** Absolute paths, because an old server may have an old PATH. */
function programs({ self, env, paths }: Context, tmux: Tmux): KeyPrograms {
  const fzf = findProgram('fzf', env)
  return {
    agenc: self,
    tmux: findProgram('tmux', env) ?? undefined,
    diff: diffScript({ self }),
    ...(fzf === null
      ? {}
      : { switch: switchScript({ self, paths }, tmux, fzf), new: newScript({ self, paths }, fzf) }),
  }
}
