import { existsSync, type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Follower, Inbox } from './agent.ts'
import type { AgentStatus } from './agent-report.ts'
import { findInbox } from './peer-socket.ts'
import { readStatusFile } from './status-file.ts'

const fallbackMs = 80

/**
 * Watches Claude's status file. The folder that all Claudes share is watched only until the file exists. If the user's
 * inotify instances are used up (usually 128), it reads the file at intervals instead, while `isActive` returns
 * true.
 */
export class StatusWatch implements Follower {
  readonly line = null
  readonly #path: string
  readonly #onStatus: (status: AgentStatus) => void
  readonly #isActive: () => boolean
  #watcher: FSWatcher | null = null
  #isWatchingFile = false
  #timer: NodeJS.Timeout | null = null

  constructor(path: string, onStatus: (status: AgentStatus) => void, isActive: () => boolean) {
    this.#path = path
    this.#onStatus = onStatus
    this.#isActive = isActive
  }

  /** Sets up the watch as soon as the file exists. Call it whenever Claude reports something. */
  refresh(): void {
    if (!this.#isWatchingFile) this.#attach()
    if (this.#watcher === null) this.#readLater()
  }

  inbox(): Inbox | null {
    return findInbox(this.#path)
  }

  close(): void {
    this.#watcher?.close()
    this.#watcher = null
    if (this.#timer) clearTimeout(this.#timer)
  }

  #read(): void {
    const status = readStatusFile(this.#path)
    if (status) this.#onStatus(status)
  }

  #attach(): void {
    const exists = existsSync(this.#path)
    if (!exists && this.#watcher !== null) return
    this.#watcher?.close()
    this.#watcher = exists ? this.#watchFile() : this.#watchFolder()
    this.#isWatchingFile = exists && this.#watcher !== null
    if (this.#isWatchingFile) this.#read()
  }

  #watchFile(): FSWatcher | null {
    return this.#watch(this.#path, kind => {
      if (kind === 'rename') {
        this.#isWatchingFile = false
        this.#attach()
      } else this.#read()
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
        this.#readLater()
      })
      return watcher
    } catch {
      return null
    }
  }

  #readLater(): void {
    if (this.#timer !== null || !this.#isActive()) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#read()
      this.refresh()
    }, fallbackMs)
    this.#timer.unref()
  }
}
