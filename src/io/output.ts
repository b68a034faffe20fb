import { fstatSync } from 'node:fs'
import { errorCode } from '../errors.ts'
import { lacksUnicode, toAscii } from './ascii.ts'
import { type Paint, paintFor } from './colour.ts'
import { writeAll } from './write-all.ts'

/** One of the two output streams, with what a printer needs to know about it. */
export interface Output {
  write(text: string): void
  line(text?: string): void
  isTerminal: boolean
  columns: number
  paint: Paint
}

const fallbackColumns = 80

/**
 * `agenc … | head -1`: the reader has what it wanted, and a window that was closed reads nothing more.
 * What is under way is still brought to its end; only its words are lost.
 */
function ignoreLostReaders(stream: NodeJS.WriteStream): void {
  stream.on('error', error => {
    if (!['EPIPE', 'EIO'].includes(errorCode(error) ?? '')) throw error
  })
}

/** A pipe, of a shell or of another Node, or a file: written to directly, since Node's own stream takes 6 ms to open. */
function plainOutput(fd: number, env: NodeJS.ProcessEnv): Output {
  return {
    write: text => writeAll(fd, text),
    line: (text = '') => writeAll(fd, `${text}\n`),
    isTerminal: false,
    columns: Number(env.COLUMNS) || fallbackColumns,
    paint: paintFor(false, env),
  }
}

/** The output behind a descriptor, opened no further than it needs. */
export function outputTo(fd: 1 | 2, env: NodeJS.ProcessEnv): Output {
  if (isPlain(fd)) return plainOutput(fd, env)
  return outputOf(fd === 1 ? process.stdout : process.stderr, env)
}

export function outputOf(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Output {
  ignoreLostReaders(stream)
  // Only what a person looks at: a program gets every byte.
  const shown = stream.isTTY && lacksUnicode(env) ? toAscii : (text: string) => text
  return {
    write: text => {
      stream.write(shown(text))
    },
    line: (text = '') => {
      stream.write(`${shown(text)}\n`)
    },
    isTerminal: Boolean(stream.isTTY),
    columns: stream.columns || Number(env.COLUMNS) || fallbackColumns,
    paint: paintFor(Boolean(stream.isTTY), env),
  }
}

/** /dev/null and its like, on Linux. */
const memoryMajor = 1

function isPlain(fd: number): boolean {
  try {
    const stat = fstatSync(fd)
    return stat.isFIFO() || stat.isSocket() || stat.isFile() || stat.rdev >> 8 === memoryMajor
  } catch {
    return false
  }
}
