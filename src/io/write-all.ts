import { writeSync } from 'node:fs'
import { errorCode } from '../errors.ts'

const pauseMs = 2

/** A reader that has gone away (`| head -1`) has what it wanted; one that is slow is waited for. */
export function writeAll(fd: number, text: string): void {
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest))
    } catch (error) {
      if (errorCode(error) === 'EPIPE') return
      if (errorCode(error) !== 'EAGAIN') throw error
      pause()
    }
  }
}

export function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
}
