import { closeSync, constants, lstatSync, openSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { AgencError, errorCode } from '../errors.ts'
import { removeFile } from '../io/files.ts'
import type { Runner } from '../system/runner.ts'

/** A FIFO that calls back at every ring, without polling and without one of the user's few inotify instances. */
export class Bell {
  readonly #exec: Runner
  readonly #path: string
  readonly #onRing: () => void
  #descriptor: number | null = null
  #socket: Socket | null = null

  constructor(exec: Runner, path: string, onRing: () => void) {
    this.#exec = exec
    this.#path = path
    this.#onRing = onRing
  }

  /** Open for reading and writing, it never ends, its writers never block, and a ring is kept until it is heard. */
  open(): number {
    if (this.#descriptor !== null) return this.#descriptor
    if (!isFifo(this.#path)) makeFifo(this.#exec, this.#path)
    this.#descriptor = openSync(this.#path, constants.O_RDWR | constants.O_NONBLOCK)
    return this.#descriptor
  }

  listen(): void {
    if (this.#socket !== null) return
    this.#socket = new Socket({ fd: this.open(), readable: true, writable: false })
    this.#socket.on('data', this.#onRing)
    this.#socket.on('error', () => {})
  }

  close(): void {
    this.#socket?.destroy()
    removeFile(this.#path)
  }
}

function isFifo(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFIFO() ?? false
}

/** The guard may be about to: of two at the same moment, one is refused. */
function makeFifo(exec: Runner, path: string): void {
  removeFile(path)
  const { stderr } = exec.capture('mkfifo', ['-m', '600', path])
  if (isFifo(path)) return
  throw new AgencError(
    `cannot make the FIFO ${path}: ${stderr.trim()}`,
    'Set AGENC_DIRPATH to a directory on a local disk.',
  )
}

/** For other agenc commands: wakes the wrapper up, if there is one. */
export function ringBell(bell: string): void {
  try {
    const descriptor = openSync(bell, constants.O_WRONLY | constants.O_NONBLOCK)
    try {
      writeSync(descriptor, '.')
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENXIO') throw error
  }
}

/** Does anybody listen at this moment? */
export function isBellHeard(bell: string): boolean {
  try {
    closeSync(openSync(bell, constants.O_WRONLY | constants.O_NONBLOCK))
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENXIO') return false
    throw error
  }
}
