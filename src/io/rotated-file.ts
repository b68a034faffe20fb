import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'

/** A file that grows to a bound. Then it takes the place of the older one, and a new file begins. */
export class RotatedFile {
  readonly #path: string
  readonly #mostBytes: number
  #file: number | null = null
  #bytes = 0

  constructor(path: string, mostBytes: number) {
    this.#path = path
    this.#mostBytes = mostBytes
  }

  /** Never throws: a full disk must not end the work that is recorded here. */
  write(chunk: Buffer): void {
    try {
      this.#open()
      if (this.#bytes > 0 && this.#bytes + chunk.length > this.#mostBytes) this.#rotate()
      this.#bytes += writeSync(this.#file!, chunk)
    } catch {
      this.close()
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }

  #open(): void {
    if (this.#file !== null) return
    this.#file = openSync(this.#path, 'a', 0o600)
    this.#bytes = fstatSync(this.#file).size
  }

  #rotate(): void {
    this.close()
    renameSync(this.#path, olderFile(this.#path))
    this.#open()
  }
}

/** The file before the current one. */
export function olderFile(path: string): string {
  return `${path}.1`
}
