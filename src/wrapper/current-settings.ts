import { configFromText, readConfigText } from '../config/read.ts'
import type { Config } from '../config/schema.ts'
import type { Paths } from '../paths.ts'

export interface Settings {
  /** The last valid settings, if there is a problem with the current ones. */
  config: Config
  problem: string | null
  /** True if the settings could not be read, so that they may contain unknown deny rules. */
  mayHideDenials: boolean
}

/** The settings of a running mission, read again whenever their text has changed. */
export class CurrentSettings {
  readonly #paths: Paths
  /** Undefined if the text has not been read yet or cannot be read. */
  #text: string | null | undefined
  #settings: Settings

  constructor(paths: Paths, config: Config) {
    this.#paths = paths
    this.#settings = { config, problem: null, mayHideDenials: false }
  }

  get latest(): Settings {
    return this.#settings
  }

  get areCurrent(): boolean {
    try {
      return readConfigText(this.#paths.config) === this.#text
    } catch {
      return false
    }
  }

  async refresh(): Promise<void> {
    try {
      for (;;) {
        const text = readConfigText(this.#paths.config)
        if (text === this.#text) return
        await this.#understand(text)
        this.#text = text
      }
    } catch (error) {
      this.#text = undefined
      this.#keepLast(error, true)
    }
  }

  async #understand(text: string | null): Promise<void> {
    try {
      const config = await configFromText(this.#paths, text)
      this.#settings = { config, problem: null, mayHideDenials: false }
    } catch (error) {
      this.#keepLast(error, /deny|\\u/.test(text ?? ''))
    }
  }

  #keepLast(error: unknown, mayHideDenials: boolean): void {
    const problem = error instanceof Error ? error.message : String(error)
    this.#settings = { config: this.#settings.config, problem, mayHideDenials }
  }
}
