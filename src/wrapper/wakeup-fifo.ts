import { closeSync, constants, lstatSync, openSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { AgencError, errorCode } from '../errors.ts'
import { removeFile } from '../io/files.ts'
import type { Runner } from '../system/runner.ts'

/**
 * A FIFO that calls `onWakeup` whenever a byte arrives. It needs neither polling nor one of the user's few inotify
 * instances.
 */
export class WakeupFifo {
  onWakeup: () => void = () => {}
  readonly #exec: Runner
  readonly #path: string
  #descriptor: number | null = null
  #socket: Socket | null = null

  constructor(exec: Runner, path: string) {
    this.#exec = exec
    this.#path = path
  }

  /** Opened for reading and writing, a FIFO has no end, writers never block, and bytes are kept until they are read. */
  open(): number {
    if (this.#descriptor !== null) return this.#descriptor
    if (!isFifo(this.#path)) makeFifo(this.#exec, this.#path)
    this.#descriptor = openSync(this.#path, constants.O_RDWR | constants.O_NONBLOCK)
    return this.#descriptor
  }

  listen(): void {
    if (this.#socket !== null) return
    this.#socket = new Socket({ fd: this.open(), readable: true, writable: false })
    this.#socket.on('data', () => this.onWakeup())
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

/** The guard's shell creates the FIFO too. If both try at once, one of them fails, but the FIFO exists. */
function makeFifo(exec: Runner, path: string): void {
  removeFile(path)
  const { stderr } = exec.capture('mkfifo', ['-m', '600', path])
  if (isFifo(path)) return
  throw new AgencError(
    `cannot create the FIFO ${path}: ${stderr.trim()}`,
    'Set AGENC_DIRPATH to a directory on a local disk.',
  )
}

/** Wakes up the process that listens on the FIFO, if there is one. */
export function wakeUp(path: string): void {
  try {
    const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
    try {
      writeSync(descriptor, '.')
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if (!isUnheard(error)) throw error
  }
}

/** Whether a process has the FIFO open at this moment. */
export function isListening(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK))
    return true
  } catch (error) {
    if (isUnheard(error)) return false
    throw error
  }
}

/** The FIFO does not exist, or no process has it open. */
function isUnheard(error: unknown): boolean {
  return errorCode(error) === 'ENOENT' || errorCode(error) === 'ENXIO'
}
