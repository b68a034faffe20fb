import type { Log } from './log.ts'

export interface LifeOptions {
  /** How long it may run. Null if it may run for any time. */
  timeoutMs: number | null
  /** How long Claude stays without anything to do. */
  idleMs: number
  /** True if Claude is idle, nothing runs in the background, and no message waits. */
  isAtRest: () => boolean
  /** How long a request may stay open that only Claude knows of, because its report was lost, as on a full disk. */
  askTimeoutMs: number
  /** True if Claude waits for an answer to such a request. */
  isStuck: () => boolean
  /** Ends Claude's turn. */
  interrupt: () => void
  /** Ends Claude's turn, and then Claude. */
  end: () => void
  log: Log
}

/** Ends a Claude without a terminal when it has nothing to do any more, or when its time is up. */
export class HeadlessLife {
  readonly #options: LifeOptions
  readonly #deadline: NodeJS.Timeout | undefined
  #idleTimer: NodeJS.Timeout | null = null
  #stuckTimer: NodeJS.Timeout | null = null
  #isCut = false
  #isOver = false

  constructor(options: LifeOptions) {
    this.#options = options
    const { timeoutMs } = options
    this.#deadline = timeoutMs === null ? undefined : setTimeout(() => this.#onDeadline(), timeoutMs)
  }

  /** True if the time ran out while Claude was at work. */
  get wasCut(): boolean {
    return this.#isCut
  }

  /** Call it after everything that Claude reports. */
  readonly refresh = (): void => {
    const { idleMs, isAtRest } = this.#options
    if (this.#isOver) return
    this.#watchStuck()
    if (!isAtRest()) this.#stayAwake()
    else this.#idleTimer ??= setTimeout(() => this.#onIdle(), idleMs)
  }

  close(): void {
    this.#isOver = true
    clearTimeout(this.#deadline)
    this.#stayAwake()
    if (this.#stuckTimer) clearTimeout(this.#stuckTimer)
  }

  #watchStuck(): void {
    const { askTimeoutMs, isStuck } = this.#options
    if (isStuck()) this.#stuckTimer ??= setTimeout(() => this.#onStuck(), askTimeoutMs)
    else {
      if (this.#stuckTimer) clearTimeout(this.#stuckTimer)
      this.#stuckTimer = null
    }
  }

  #onStuck(): void {
    this.#stuckTimer = null
    if (!this.#options.isStuck()) return
    this.#options.log('ending the turn: nobody can answer its request')
    this.#options.interrupt()
  }

  #stayAwake(): void {
    if (this.#idleTimer) clearTimeout(this.#idleTimer)
    this.#idleTimer = null
  }

  #onIdle(): void {
    this.#idleTimer = null
    // A message may have been stored since the last report.
    if (!this.#options.isAtRest()) return
    this.#options.log('ending: there is nothing to do')
    this.#options.end()
  }

  #onDeadline(): void {
    this.#isCut = !this.#options.isAtRest()
    this.#options.log('ending: the time is up')
    this.#options.end()
  }
}
