import { statSync } from 'node:fs'
import { loadConfig } from '../config/file.ts'
import type { Config } from '../config/schema.ts'
import { errorCode } from '../errors.ts'

/** The settings as they are now: read again when the file has changed. */
export class CurrentSettings {
  readonly #path: string
  #config: Config
  #stamp: string
  #problem: string | null = null

  constructor(path: string, config: Config) {
    this.#path = path
    this.#config = config
    this.#stamp = stampOf(path)
  }

  /** With a problem, the last ones that were whole. */
  read(): { config: Config; problem: string | null } {
    const stamp = stampOf(this.#path)
    if (stamp !== this.#stamp) this.#load(stamp)
    return { config: this.#config, problem: this.#problem }
  }

  #load(stamp: string): void {
    try {
      this.#config = loadConfig(this.#path)
      this.#problem = null
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error)
    }
    this.#stamp = stamp
  }
}

function stampOf(path: string): string {
  try {
    const { mtimeNs, size, ino } = statSync(path, { bigint: true })
    return `${mtimeNs}:${size}:${ino}`
  } catch (error) {
    return errorCode(error) ?? 'unknown'
  }
}
