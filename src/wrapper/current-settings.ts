import { readConfigText } from '../config/config-text.ts'
import { configOf } from '../config/read.ts'
import type { Config } from '../config/schema.ts'
import { writeFileAtomically } from '../io/files.ts'
import type { Paths } from '../paths.ts'

export interface Settings {
  /** If there is a problem, the last settings that were valid. */
  config: Config
  problem: string | null
  /** The settings could not be read, and may deny something that is not known. */
  mayHideDenials: boolean
}

/** The settings of a running mission, read again whenever their text has changed. */
export class CurrentSettings {
  readonly #paths: Paths
  readonly #withoutDeniesPath: string
  /** Undefined if the text was not read yet, or cannot be read. */
  #text: string | null | undefined
  #settings: Settings

  /** `withoutDeniesPath` is the file in which hooks find settings that deny nothing. */
  constructor(paths: Paths, config: Config, withoutDeniesPath: string) {
    this.#paths = paths
    this.#withoutDeniesPath = withoutDeniesPath
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
      const config = await configOf(this.#paths, text)
      this.#settings = { config, problem: null, mayHideDenials: false }
      if (config.approvals.rules.every(({ decision }) => decision !== 'deny'))
        this.#leaveForHooks(text ?? '{}')
    } catch (error) {
      this.#keepLast(error, /deny|\\u/.test(text ?? ''))
    }
  }

  /** If the file cannot be written, hooks ask. */
  #leaveForHooks(text: string): void {
    try {
      writeFileAtomically(this.#withoutDeniesPath, text)
    } catch {}
  }

  #keepLast(error: unknown, mayHideDenials: boolean): void {
    const problem = error instanceof Error ? error.message : String(error)
    this.#settings = { config: this.#settings.config, problem, mayHideDenials }
  }
}
