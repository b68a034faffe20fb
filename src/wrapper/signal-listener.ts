import { type EndingSignal, endingSignals } from './signal-policy.ts'

/** Hears the ending signals from the very start, so that none can come too early. */
export class SignalListener {
  /** The first one that came. */
  received: EndingSignal | null = null
  #listener: (signal: EndingSignal) => void = () => {}
  readonly #handlers = endingSignals.map(signal => ({ signal, handle: () => this.#hear(signal) }))

  constructor() {
    for (const { signal, handle } of this.#handlers) process.on(signal, handle)
  }

  /** Only the latest listener is told. */
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

  #hear(signal: EndingSignal): void {
    this.received ??= signal
    this.#listener(signal)
  }
}
