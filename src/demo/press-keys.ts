import type { Context } from '../context.ts'
import { ownSocket } from '../tmux/server.ts'
import { userKey } from '../tmux/user-keys.ts'
import type { TourKeys } from './demo-script.ts'

const standard = 'C-b'
const other = 'C-a'

/**
 * The user's own prefix, because that is what their fingers know. Inside another tmux that one takes it first, so
 * that the demo needs another.
 */
export function tourKeys(context: Context, { isNested }: { isNested: boolean }): TourKeys {
  const own = usable(userKey(context, 'a')?.prefix)
  if (!isNested) return { prefix: own }
  const prefix = own === other ? standard : other
  return { prefix, remark: `Your own tmux takes ${own}, so here the prefix is ${prefix}.` }
}

export function isInTmux(context: Context): boolean {
  return ownSocket(context.env) !== null
}

function usable(prefix: string | undefined): string {
  return prefix !== undefined && /^[CM]-[\w]+$/.test(prefix) ? prefix : standard
}
