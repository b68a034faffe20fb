import { fstatSync, readSync, statSync } from 'node:fs'

const chunkBytes = 256 * 1024
const newline = 10

/**
 * Calls `use` with one chunk of whole lines after the other, each with its place in the file, until `use` returns false.
 * The memory that this takes depends on the longest line only. Returns what the file has after its last newline.
 */
export function readWholeLines(
  file: number,
  from: number,
  use: (lines: Buffer, offset: number) => boolean,
): Buffer {
  let buffer = Buffer.allocUnsafe(chunkBytes)
  let [offset, kept] = [from, 0]
  for (;;) {
    if (kept === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2)
    const read = readSync(file, buffer, kept, buffer.length - kept, offset + kept)
    const filled = buffer.subarray(0, kept + read)
    if (read === 0) return filled
    const end = filled.lastIndexOf(newline) + 1
    if (end > 0 && !use(filled.subarray(0, end), offset)) return filled.subarray(0, 0)
    filled.copyWithin(0, end)
    kept = filled.length - end
    offset += end
  }
}

/** Whether another file is at the path of an open one, or the open one is shorter than what was read of it. */
export function isOtherFile(file: number, path: string, readBytes: number): boolean {
  const open = fstatSync(file)
  const now = statSync(path, { throwIfNoEntry: false })
  return open.size < readBytes || (now !== undefined && (now.ino !== open.ino || now.dev !== open.dev))
}
