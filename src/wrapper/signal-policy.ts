/**
 * The whole policy for signals, in one place.
 *
 *   first HUP, INT or TERM   → forwarded to Claude, which gets the grace period to end
 *   a second one             → no more patience
 *   grace period over        → Claude and everything it started is killed
 *   before Claude is there   → it is not started
 *   TSTP in a window of its own → Claude goes on (there is no shell to come back from)
 */
export const endingSignals = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const
export type EndingSignal = (typeof endingSignals)[number]

export type Phase = 'before' | 'running' | 'ending' | 'over'
export type Action = 'none' | 'give-up' | 'forward' | 'kill'

export function onEndingSignal(phase: Phase): Action {
  switch (phase) {
    case 'before':
      return 'give-up'
    case 'running':
      return 'forward'
    case 'ending':
      return 'kill'
    case 'over':
      return 'none'
  }
}

const numbers: Record<string, number> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
}

export function exitCodeFor(code: number | null, signal: string | null): number {
  return code ?? 128 + (numbers[signal ?? ''] ?? 0)
}
