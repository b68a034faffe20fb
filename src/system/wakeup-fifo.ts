import { closeSync, constants, fstatSync, lstatSync, openSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { dirname } from 'node:path'
import { AgencError, errorCode } from '../errors.ts'
import { removeFile } from '../io/files.ts'
import { setAside } from '../io/set-aside.ts'
import type { Runner } from './runner.ts'

/**
 * A FIFO that calls `onWakeup` with the bytes that arrive. It needs neither polling nor one of the user's few inotify
 * instances.
 */
export class WakeupFifo {
  onWakeup: (bytes: string) => void = () => {}
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
    this.#descriptor = openSync(this.#path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    return this.#descriptor
  }

  listen(): void {
    if (this.#socket !== null) return
    this.#socket = new Socket({ fd: this.open(), readable: true, writable: false })
    this.#socket.on('data', bytes => this.onWakeup(bytes.toString('latin1')))
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
  setAside(dirname(path), path)
  const { stderr } = exec.capture('mkfifo', ['-m', '600', path])
  if (isFifo(path)) return
  throw new AgencError(
    `cannot create the FIFO ${path}: ${stderr.trim()}`,
    'Set AGENC_DIRPATH to a directory on a local disk.',
  )
}

/** Wakes up the process that listens on the FIFO. Returns whether there is one. */
export function wakeUp(path: string, byte = '.'): boolean {
  const descriptor = openToRing(path)
  if (descriptor === null) return false
  try {
    writeSync(descriptor, byte)
  } catch (error) {
    // A process that is suspended has not read for so long that the FIFO is full. It will wake up anyway.
    if (errorCode(error) !== 'EAGAIN') throw error
  } finally {
    closeSync(descriptor)
  }
  return true
}

/** Whether a process has the FIFO open at this moment. */
export function isListening(path: string): boolean {
  const descriptor = openToRing(path)
  if (descriptor !== null) closeSync(descriptor)
  return descriptor !== null
}

/** Returns null if there is no FIFO at this path itself, or if no process has it open. */
function openToRing(path: string): number | null {
  if (!isFifo(path)) return null
  try {
    const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    // The FIFO may have been replaced since the check above.
    if (fstatSync(descriptor).isFIFO()) return descriptor
    closeSync(descriptor)
    return null
  } catch (error) {
    if (['ENOENT', 'ENXIO', 'ELOOP'].includes(errorCode(error) ?? '')) return null
    throw error
  }
}
