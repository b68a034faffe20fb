import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { AgencError, errorCode } from '../errors.ts'
import type { Runner } from '../exec/runner.ts'
import { removeFile } from '../io/files.ts'

/**
 * Calls back at every ring, without polling and without one of the user's few inotify instances.
 * Held open for reading and writing, a FIFO never ends and its writers never block.
 */
export async function listenToBell(exec: Runner, bell: string, onRing: () => void): Promise<() => void> {
  removeFile(bell)
  await makeFifo(exec, bell)
  const descriptor = openSync(bell, constants.O_RDWR | constants.O_NONBLOCK)
  const socket = new Socket({ fd: descriptor, readable: true, writable: false })
  socket.on('data', onRing)
  socket.on('error', () => {})
  return () => {
    socket.destroy()
    removeFile(bell)
  }
}

/** Beside whatever else is done meanwhile. */
function makeFifo(exec: Runner, path: string): Promise<void> {
  const mkfifo = exec.start('mkfifo', ['-m', '600', path], { stdio: 'ignore' })
  return new Promise((resolve, reject) => {
    const fail = (reason: string) =>
      reject(
        new AgencError(
          `cannot make the FIFO ${path}: ${reason}`,
          'Set AGENC_DIRPATH to a directory on a local disk.',
        ),
      )
    mkfifo.on('error', error => fail(error.message))
    mkfifo.on('exit', code => (code === 0 ? resolve() : fail(`mkfifo ended with ${code}`)))
  })
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
