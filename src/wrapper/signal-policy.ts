import { type EndingSignal, endingSignals } from '../system/signals.ts'
/**
 * The whole policy for signals, in one place.
 *
 *   first HUP, INT or TERM        → forwarded to Claude, which gets the grace period to end
 *   a further one                 → ignored: a closing terminal sends HUP twice, and Claude is saving
 *   grace period over             → Claude and everything it started is killed
 *   before Claude was started     → Claude is not started, and the repo's setup is ended
 *   HUP without a terminal        → ignored: the user has left, and the mission goes on
 *   TSTP in a window of its own   → Claude continues, because there is no shell to come back from
 */

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

/** Create it before anything else, so that no ending signal is missed. */
export class SignalListener {
  /** The first ending signal. Null until one arrives. */
  received: EndingSignal | null = null
  readonly #ignored: readonly EndingSignal[]
  #listener: (signal: EndingSignal) => void = () => {}
  readonly #handlers = endingSignals.map(signal => ({ signal, handle: () => this.#onSignal(signal) }))

  constructor(ignored: readonly EndingSignal[] = []) {
    this.#ignored = ignored
    for (const { signal, handle } of this.#handlers) process.on(signal, handle)
  }

  /** Replaces the previous listener. */
  listen(listener: (signal: EndingSignal) => void): void {
    this.#listener = listener
  }

  /** Waits for the first ending signal, unless one has come already, and at most this long. */
  arrivesWithin(timeoutMs: number): Promise<void> {
    if (this.received !== null) return Promise.resolve()
    return new Promise(resolve => {
      const tell = this.#listener
      const timer = setTimeout(resolve, timeoutMs)
      this.#listener = signal => {
        tell(signal)
        clearTimeout(timer)
        resolve()
      }
    })
  }

  close(): void {
    for (const { signal, handle } of this.#handlers) process.off(signal, handle)
  }

  #onSignal(signal: EndingSignal): void {
    if (this.#ignored.includes(signal)) return
    this.received ??= signal
    this.#listener(signal)
  }
}
