import { readSync, writeSync } from 'node:fs'
import { errorCode } from '../errors.ts'

const chunkBytes = 64 * 1024
const pauseMs = 2

/** Reads a descriptor to its end. It may answer EAGAIN: Node makes stdin non-blocking once `process.stdin` is used. */
export function readAll(fd: number): string {
  const chunks: Buffer[] = []
  for (;;) {
    const chunk = Buffer.allocUnsafe(chunkBytes)
    try {
      const length = readSync(fd, chunk)
      if (length === 0) return Buffer.concat(chunks).toString()
      chunks.push(chunk.subarray(0, length))
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') throw error
      pause()
    }
  }
}

/**
 * Writes all of a text. Waits for a slow reader, and stops quietly if the reader is gone (`| head -1`). Returns whether it
 * is there.
 */
export function writeAll(fd: number, text: string): boolean {
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest))
    } catch (error) {
      if (errorCode(error) === 'EPIPE') return false
      if (errorCode(error) !== 'EAGAIN') throw error
      pause()
    }
  }
  return true
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
}
