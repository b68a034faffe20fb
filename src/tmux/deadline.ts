import { type Result, timedOut } from '../system/runner.ts'
import type { TmuxCommand } from './tmux.ts'

/** How long a call may take. A server that works answers within milliseconds, even on a busy machine. */
export const deadlineMs = 3_000
/** A server that is being started runs the user's tmux.conf first, with all its plug-ins. */
const startMs = 30_000
/** For so long after a call that was not answered, further calls to the same server fail at once. */
export const silenceMs = 30_000

const startsServer = new Set(['new-session', 'start-server'])

export function deadlineFor([first]: readonly TmuxCommand[]): number {
  return startsServer.has(first?.[0] ?? '') ? startMs : deadlineMs
}

/** When each server has last failed to answer. */
const silentSince = new Map<string, number>()

/** Runs a call, unless its server has just not answered another one: a command would otherwise wait for each call. */
export function unlessSilent(server: string, call: () => Result): Result {
  const since = silentSince.get(server)
  if (since !== undefined && Date.now() - since < silenceMs) return timedOut(deadlineMs)
  const result = call()
  if (result.timedOut) silentSince.set(server, Date.now())
  else silentSince.delete(server)
  return result
}
