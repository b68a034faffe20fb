type Undo = () => void | Promise<void>

/** What a run must take away again, newest first, whether it ends well, in an error or by Ctrl-C. */
export class Leftovers {
  readonly #undos: Undo[] = []

  add(undo: Undo): void {
    this.#undos.push(undo)
  }

  async clear(): Promise<void> {
    for (let undo = this.#undos.pop(); undo; undo = this.#undos.pop()) {
      try {
        await undo()
      } catch (error) {
        console.error(`bench: left behind: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }
}
