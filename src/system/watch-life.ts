import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { Socket } from 'node:net'
import { errorCode } from '../errors.ts'

/**
 * Calls `onEnd` when the process that holds this FIFO open ends, even by `kill -9`: the system closes its files, and a
 * reader sees the end. Costs nothing until then. Returns null if no process holds it open. The process may still be in the
 * list of processes for a moment after its end was seen.
 */
export function watchLife(path: string, onEnd: () => void): { close: () => void } | null {
  const descriptor = openHeld(path)
  if (descriptor === null) return null
  const socket = new Socket({ fd: descriptor, readable: true, writable: false })
  socket.on('error', () => {})
  socket.once('end', onEnd)
  socket.resume()
  return { close: () => void socket.destroy() }
}

function openHeld(path: string): number | null {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch {
    return null
  }
  if (fstatSync(descriptor).isFIFO() && isHeld(descriptor)) return descriptor
  closeSync(descriptor)
  return null
}

/** Reading from a FIFO says at once that it is empty, or that no process has it open for writing. */
function isHeld(descriptor: number): boolean {
  try {
    return readSync(descriptor, Buffer.alloc(1)) > 0
  } catch (error) {
    return errorCode(error) === 'EAGAIN'
  }
}
