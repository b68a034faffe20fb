import { atProcessEnd } from '../system/process-end.ts'
import type { Output } from './output.ts'
import { truncate } from './text.ts'

const eraseLine = '\r\u001b[K'

/** Shows the current step on the last line of a terminal, and nothing elsewhere. */
export class StatusLine {
  readonly #output: Output
  #forget: (() => void) | null = null

  constructor(output: Output) {
    this.#output = output
  }

  show(text: string): void {
    if (!this.#output.isTerminal) return
    const line = this.#output.paint('dim', truncate(text, this.#output.columns - 1))
    // The shell's prompt would otherwise continue this line after Ctrl-C.
    this.#forget ??= atProcessEnd(() => this.#output.write(eraseLine))
    this.#output.write(eraseLine + line)
  }

  clear(): void {
    if (this.#forget === null) return
    this.#output.write(eraseLine)
    this.#forget()
    this.#forget = null
  }
}
