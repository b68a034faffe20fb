import { brokenConfig, readConfigText } from '../config/file.ts'
import { defaultConfig, parseConfig } from '../config/parse.ts'
import type { Config } from '../config/schema.ts'
import { writeFileAtomically } from '../io/files.ts'

export interface Settings {
  /** With a problem, the last ones that were whole. */
  config: Config
  problem: string | null
  /** They could not be read, and for all that can be seen of them they may deny something new. */
  mayHideDenials: boolean
}

/** The settings as they are now: understood anew when their text has changed. */
export class CurrentSettings {
  readonly #path: string
  readonly #undeniedPath: string
  #text: string | null | undefined
  #settings: Settings

  /** `undeniedPath`: where hooks find settings that deny nothing. */
  constructor(path: string, config: Config, undeniedPath: string) {
    this.#path = path
    this.#undeniedPath = undeniedPath
    this.#settings = { config, problem: null, mayHideDenials: false }
  }

  read(): Settings {
    try {
      const text = readConfigText(this.#path)
      if (text !== this.#text) this.#understand(text)
      this.#text = text
    } catch (error) {
      this.#text = undefined
      this.#keepLast(error, true)
    }
    return this.#settings
  }

  #understand(text: string | null): void {
    const parsed = text === null ? { ok: true as const, config: defaultConfig } : parseConfig(text)
    if (!parsed.ok) {
      this.#keepLast(brokenConfig(this.#path, parsed.problem), /deny|\\u/.test(text!))
      return
    }
    this.#settings = { config: parsed.config, problem: null, mayHideDenials: false }
    const deniesNothing = parsed.config.approvals.rules.every(({ decision }) => decision !== 'deny')
    if (deniesNothing) this.#leaveForHooks(text ?? '{}')
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
