import type { Output } from './output.ts'
import { truncate } from './text.ts'

const eraseLine = '\r\u001b[K'

/** What is under way, on the last line of a terminal for as long as it holds; where nobody looks, nothing. */
export class StatusLine {
  readonly #output: Output
  #isShown = false

  constructor(output: Output) {
    this.#output = output
  }

  show(text: string): void {
    if (!this.#output.isTerminal) return
    this.clear()
    this.#output.write(this.#output.paint('dim', truncate(text, this.#output.columns - 1)))
    this.#isShown = true
  }

  clear(): void {
    if (this.#isShown) this.#output.write(eraseLine)
    this.#isShown = false
  }
}
