import { restoringScript } from '../../src/tmux/keys/inject.ts'
import { readKeys } from '../../src/tmux/keys/read-keys.ts'
import type { Tmux } from '../../src/tmux/tmux.ts'

/** Restores the user's keys, as `agenc tmux kill` does. */
export function restoreKeys(tmux: Tmux): void {
  const keys = readKeys(tmux, [])
  const errors = keys && tmux.source(restoringScript(keys))?.errors
  if (errors?.length) throw new Error(errors.join('\n'))
}
