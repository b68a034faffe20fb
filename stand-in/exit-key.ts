/** Ctrl-C and Ctrl-D leave only when pressed twice, so that one slip costs nothing. */
export class ExitKey {
  private armed: 'Ctrl-C' | 'Ctrl-D' | undefined
  private timer: NodeJS.Timeout | undefined
  private readonly changed: () => void
  private readonly windowMs: number

  constructor(changed: () => void, windowMs = 1_000) {
    this.changed = changed
    this.windowMs = windowMs
  }

  get hint(): string | undefined {
    return this.armed && `Press ${this.armed} again to exit`
  }

  /** True the second time. */
  press(key: 'Ctrl-C' | 'Ctrl-D'): boolean {
    if (this.armed === key) return true
    this.armed = key
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.release(), this.windowMs)
    this.timer.unref()
    this.changed()
    return false
  }

  release(): void {
    if (!this.armed) return
    this.armed = undefined
    this.changed()
  }
}
