import { constants } from 'node:os'
import type { StoredEnding } from '../mission/wrapper-note.ts'
import type { EndingSignal } from '../system/signals.ts'

/**
 * Why a run of a mission ended.
 *
 *   left      Claude ended by itself
 *   failed    Claude ended by itself, with an error, right after its start
 *   stopped   a command ended the mission
 *   closed    the user closed the window or the session
 *   lost      Claude was killed by another process, or its terminal or tmux was lost
 */
export interface Ending extends StoredEnding {
  /** The ending signal that the wrapper got. Null if Claude ended first. */
  received: EndingSignal | null
}

export interface EndingFacts {
  code: number | null
  signal: NodeJS.Signals | null
  received: EndingSignal | null
  /** True if this wrapper ended Claude, because it had nothing to do or its time was up. */
  isOwnWill?: boolean
  ranMs: number
  /** Called only after a hangup. */
  wasTakenAway: () => Promise<boolean>
}

const earlyMs = 2_000

/** Decides why a run of Claude ended. A wrapper that could not decide, because it was killed, counts as stopped or lost. */
export async function decideEnding(facts: EndingFacts): Promise<Ending> {
  const { code, signal, received } = facts
  return { why: await whyEnded(facts), code, signal, received }
}

async function whyEnded({
  code,
  signal,
  received,
  isOwnWill = false,
  ranMs,
  wasTakenAway,
}: EndingFacts): Promise<Ending['why']> {
  switch (received) {
    case 'SIGINT':
    case 'SIGTERM':
      return 'stopped'
    case 'SIGHUP':
      return (await wasTakenAway()) ? 'lost' : 'closed'
    case null:
      if (isOwnWill) return 'left'
      if (signal !== null) return 'lost'
      return code !== 0 && ranMs < earlyMs ? 'failed' : 'left'
  }
}

/** Claude's own exit code, or 128 + the signal. */
export function exitCodeOf({ code, signal }: Pick<Ending, 'code' | 'signal'>): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal])
}

/** Whether the user must see what happened before the window closes. */
export function mustBeRead({ why, received }: Ending): boolean {
  return why === 'failed' || (why === 'lost' && received === null)
}

/** The message for a window that is about to close. */
export function describeEnding({ why, code, signal }: Ending): string {
  if (signal !== null) return `Claude was killed (${signal}).`
  return why === 'failed' ? `Claude ended right after its start (exit code ${code}).` : 'Claude has ended.'
}
