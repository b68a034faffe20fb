import { restoringScript } from '../../src/tmux/keys/inject.ts'
import { readKeys } from '../../src/tmux/keys/read-keys.ts'
import { type KeyServer, source } from '../../src/tmux/source-script.ts'

/** Restores the original key bindings, as `agenc tmux kill` does. */
export function restoreKeys(server: KeyServer): void {
  const keys = readKeys(server, [])
  const errors = keys && source(server, restoringScript(keys))?.errors
  if (errors?.length) throw new Error(errors.join('\n'))
}
