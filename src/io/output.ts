import { fstatSync } from 'node:fs'
import { errorCode } from '../errors.ts'
import { writeAll } from './blocking-io.ts'
import { type Paint, paintFor } from './colour.ts'
import { lacksUnicode, toAscii } from './text.ts'

/** One of the two output streams, with the properties that printing depends on. */
export interface Output {
  write(text: string): void
  line(text?: string): void
  isTerminal: boolean
  columns: number
  paint: Paint
  /** False once the reader of a pipe has ended, or the terminal is gone: more output would be lost. */
  hasReader(): boolean
}

const fallbackColumns = 80

/** The output behind a descriptor. Node's own stream takes 6 ms to open, so only terminals get one. */
export function outputTo(fd: 1 | 2, env: NodeJS.ProcessEnv): Output {
  if (isPipeOrFile(fd)) return directOutput(fd, env)
  return outputOf(fd === 1 ? process.stdout : process.stderr, env)
}

function directOutput(fd: number, env: NodeJS.ProcessEnv): Output {
  let hasReader = true
  const write = (text: string) => {
    hasReader = writeAll(fd, text)
  }
  return {
    write,
    line: (text = '') => write(`${text}\n`),
    isTerminal: false,
    columns: Number(env.COLUMNS) || fallbackColumns,
    paint: paintFor(false, env),
    hasReader: () => hasReader,
  }
}

export function outputOf(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Output {
  let hasReader = true
  ignoreLostReader(stream, () => {
    hasReader = false
  })
  // Only for people: a program that reads the output gets every byte.
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
    hasReader: () => hasReader,
  }
}

/** A closed window, or a reader that has ended, must not cut off the command's work. Only its output is lost. */
function ignoreLostReader(stream: NodeJS.WriteStream, onLost: () => void): void {
  stream.on('error', error => {
    if (!['EPIPE', 'EIO'].includes(errorCode(error) ?? '')) throw error
    onLost()
  })
}

/** The major device number of /dev/null and the like, on Linux. */
const memoryMajor = 1

function isPipeOrFile(fd: number): boolean {
  try {
    const stat = fstatSync(fd)
    return stat.isFIFO() || stat.isSocket() || stat.isFile() || stat.rdev >> 8 === memoryMajor
  } catch {
    return false
  }
}

/** The output for `--quiet`: keeps warnings, which begin with the program's name, and drops progress. */
export function quietOutput(err: Output): Output {
  return {
    ...err,
    isTerminal: false,
    write: () => {},
    line: (text = '') => {
      if (/^(\u001b\[\d+m)?agenc:/.test(text)) err.line(text)
    },
  }
}

/** Drops everything. For a step inside a command that prints only its own result. */
export function silentOutput(out: Output): Output {
  return { ...out, write: () => {}, line: () => {} }
}
