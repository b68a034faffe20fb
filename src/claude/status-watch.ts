import { existsSync, type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type ClaudeStatus, readStatusFile } from './status-file.ts'

const fallbackMs = 80

/**
 * Watches one file, never the folder that all Claudes share, except until the file is there.
 * Where the user's inotify instances are used up (128 as a rule), it looks now and then instead, and only
 * while `needsLooks` says that something is going on.
 */
export class StatusWatch {
  readonly #path: string
  readonly #onStatus: (status: ClaudeStatus) => void
  readonly #needsLooks: () => boolean
  #watcher: FSWatcher | null = null
  #isWatchingFile = false
  #timer: NodeJS.Timeout | null = null

  constructor(path: string, onStatus: (status: ClaudeStatus) => void, needsLooks: () => boolean) {
    this.#path = path
    this.#onStatus = onStatus
    this.#needsLooks = needsLooks
  }

  /** Called at each sign of life: sets the watch up as soon as it can be. */
  refresh(): void {
    if (!this.#isWatchingFile) this.#attach()
    if (this.#watcher === null) this.#lookLater()
  }

  close(): void {
    this.#watcher?.close()
    this.#watcher = null
    if (this.#timer) clearTimeout(this.#timer)
  }

  #look(): void {
    const status = readStatusFile(this.#path)
    if (status) this.#onStatus(status)
  }

  #attach(): void {
    const isThere = existsSync(this.#path)
    if (!isThere && this.#watcher !== null) return
    this.#watcher?.close()
    this.#watcher = isThere ? this.#watchFile() : this.#watchFolder()
    this.#isWatchingFile = isThere && this.#watcher !== null
    if (this.#isWatchingFile) this.#look()
  }

  #watchFile(): FSWatcher | null {
    return this.#watch(this.#path, kind => {
      if (kind === 'rename') {
        this.#isWatchingFile = false
        this.#attach()
      } else this.#look()
    })
  }

  #watchFolder(): FSWatcher | null {
    const name = basename(this.#path)
    return this.#watch(dirname(this.#path), (_kind, changed) => {
      if (changed === name && !this.#isWatchingFile) this.#attach()
    })
  }

  #watch(path: string, listener: (kind: string, changed: string | null) => void): FSWatcher | null {
    try {
      const watcher = watch(path, { persistent: false }, listener)
      watcher.on('error', () => {
        this.#watcher = null
        this.#isWatchingFile = false
        this.#lookLater()
      })
      return watcher
    } catch {
      return null
    }
  }

  #lookLater(): void {
    if (this.#timer !== null || !this.#needsLooks()) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#look()
      this.refresh()
    }, fallbackMs)
    this.#timer.unref()
  }
}
