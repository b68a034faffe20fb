import { configFromText, readConfigText } from '../config/read.ts'
import type { Config } from '../config/schema.ts'
import { writeFileAtomically } from '../io/files.ts'
import type { Paths } from '../paths.ts'

export interface Settings {
  /** With a problem, the last ones that were whole. */
  config: Config
  problem: string | null
  /** They could not be read, and for all that can be seen of them they may deny something new. */
  mayHideDenials: boolean
}

/** The settings of a mission that runs: understood anew when their text has changed. */
export class CurrentSettings {
  readonly #paths: Paths
  readonly #undeniedPath: string
  /** undefined: not understood yet, or not readable. */
  #text: string | null | undefined
  #settings: Settings

  /** `undeniedPath`: where hooks find settings that deny nothing. */
  constructor(paths: Paths, config: Config, undeniedPath: string) {
    this.#paths = paths
    this.#undeniedPath = undeniedPath
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
      if (config.approvals.rules.every(({ decision }) => decision !== 'deny'))
        this.#leaveForHooks(text ?? '{}')
    } catch (error) {
      this.#keepLast(error, /deny|\\u/.test(text ?? ''))
    }
  }

  /** Where it cannot be left, hooks ask. */
  #leaveForHooks(text: string): void {
    try {
      writeFileAtomically(this.#undeniedPath, text)
    } catch {}
  }

  #keepLast(error: unknown, mayHideDenials: boolean): void {
    const problem = error instanceof Error ? error.message : String(error)
    this.#settings = { config: this.#settings.config, problem, mayHideDenials }
  }
}
