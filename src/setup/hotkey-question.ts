import type { Context } from '../context.ts'
import { isAgencError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import { userKey } from '../tmux/user-keys.ts'
import { askText } from './ask.ts'

export function askHotkey(context: Context, now: string): Promise<string> {
  const clash = clashOf(context, now)
  return askText(
    context,
    {
      message: 'Key after the tmux prefix',
      why: `Opens agenc's keys, in the agenc session only. ${clash}`,
      fallback: now,
    },
    key => keyProblem(context, key),
  )
}

/** What the key does now, in words. */
export function clashOf(context: Context, key: string): string {
  const found = keyOrNull(context, key)
  if (found === null) return 'tmux could not be asked what it does now.'
  const pressed = `${found.prefix} ${key}`
  return found.binding === null
    ? `${pressed} is free in your tmux.`
    : `${pressed} is bound in your tmux (${cleanText(found.binding)}); other sessions keep that.`
}

function keyOrNull(context: Context, key: string) {
  try {
    return userKey(context, key)
  } catch {
    return null
  }
}

function keyProblem(context: Context, key: string): string | null {
  try {
    userKey(context, key.trim())
    return null
  } catch (error) {
    if (isAgencError(error)) return error.message
    throw error
  }
}
