import { closeSync, constants, openSync, writeSync } from 'node:fs'

/** Never waits: a terminal that has stopped, or a connection that hangs, takes nothing. */
export function ring(tty: string): void {
  try {
    const descriptor = openSync(tty, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
    try {
      writeSync(descriptor, '\u0007')
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // That client has just left, or is not listening.
  }
}
