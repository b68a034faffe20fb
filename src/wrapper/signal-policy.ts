import { constants } from 'node:os'

/**
 * The whole policy for signals, in one place.
 *
 *   first HUP, INT or TERM   → forwarded to Claude, which gets the grace period to end
 *   a further one            → nothing more: a closing terminal sends HUP twice, and Claude is saving
 *   grace period over        → Claude and everything it started is killed
 *   before Claude is there   → it is not started, and the repo's setup is ended
 *   TSTP in a window of its own → Claude goes on (there is no shell to come back from)
 */
export const endingSignals = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const
export type EndingSignal = (typeof endingSignals)[number]

export type Phase = 'before' | 'running' | 'ending' | 'over'
export type Action = 'none' | 'give-up' | 'forward'

export function onEndingSignal(phase: Phase): Action {
  switch (phase) {
    case 'before':
      return 'give-up'
    case 'running':
      return 'forward'
    case 'ending':
    case 'over':
      return 'none'
  }
}

export function exitCodeFor(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal])
}
