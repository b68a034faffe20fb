import { statSync } from 'node:fs'
import { preparedConfig } from '../config/prepared.ts'
import type { Config } from '../config/schema.ts'
import { errorCode } from '../errors.ts'
import type { Paths } from '../paths.ts'

/** The settings of a mission that runs: read again when the file has changed. */
export class CurrentSettings {
  readonly #paths: Paths
  #config: Config
  #stamp: string
  #problem: string | null = null

  constructor(paths: Paths, config: Config) {
    this.#paths = paths
    this.#config = config
    this.#stamp = stampOf(paths.config)
  }

  /** With a problem, the last ones that were whole. */
  get latest(): { config: Config; problem: string | null } {
    return { config: this.#config, problem: this.#problem }
  }

  get areCurrent(): boolean {
    return stampOf(this.#paths.config) === this.#stamp
  }

  async refresh(): Promise<void> {
    for (
      let stamp = stampOf(this.#paths.config);
      stamp !== this.#stamp;
      stamp = stampOf(this.#paths.config)
    ) {
      await this.#load()
      this.#stamp = stamp
    }
  }

  async #load(): Promise<void> {
    try {
      this.#config = await preparedConfig(this.#paths)
      this.#problem = null
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error)
    }
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
