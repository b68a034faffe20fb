import { readSync } from 'node:fs'
import { errorCode } from '../errors.ts'
import { pause } from './write-all.ts'

const chunkBytes = 64 * 1024

/** Until its end. Whoever has looked at `process.stdin` before has made it answer EAGAIN where a writer is slow. */
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
