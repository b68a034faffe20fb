import { StringDecoder } from 'node:string_decoder'

/** Claude's longest line is its answer. A tool's output is much shorter there. */
const usualLongest = 16 * 1024 * 1024

/** Cuts a stream into lines. A line that is longer than the bound is dropped, and never in memory as a whole. */
export class LineReader {
  readonly #onLine: (line: string) => void
  readonly #longest: number
  readonly #decoder = new StringDecoder('utf8')
  #parts: string[] = []
  #length = 0

  constructor(onLine: (line: string) => void, longest = usualLongest) {
    this.#onLine = onLine
    this.#longest = longest
  }

  take(chunk: Buffer): void {
    const [first = '', ...rest] = this.#decoder.write(chunk).split('\n')
    this.#add(first)
    for (const part of rest) {
      this.#end()
      this.#add(part)
    }
  }

  #add(part: string): void {
    this.#length += part.length
    if (this.#length > this.#longest) this.#parts = []
    else if (part !== '') this.#parts.push(part)
  }

  #end(): void {
    if (this.#length <= this.#longest) this.#onLine(this.#parts.join(''))
    this.#parts = []
    this.#length = 0
  }
}
