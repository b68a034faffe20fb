import { closeSync, constants, fstatSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../errors.ts'
import type { Allowance, ReplyChannel, Report } from './agent-report.ts'
import { firstWords } from './hook-scripts.ts'
import {
  allowReply,
  askAboutToolReply,
  blockPromptReply,
  denyReply,
  type Reply,
  refuseToolReply,
} from './permission-reply.ts'

/**
 * Opens the FIFO on which a hook waits for its answer. `hook` is the name that the hook chose for it, its pid. Returns
 * null if no hook waits there.
 */
export function openReplyChannel(directory: string, hook: string, kind: Report['kind']): ReplyChannel | null {
  if (!/^\d+$/.test(hook)) return null
  const path = join(directory, hook)
  const descriptor = openForWriting(path)
  if (descriptor === null) return null
  try {
    // The side that removes the FIFO decides. A hook that gives up removes it first.
    unlinkSync(path)
    return new HookChannel(descriptor, kind)
  } catch {
    closeSync(descriptor)
    return null
  }
}

class HookChannel implements ReplyChannel {
  readonly #kind: Report['kind']
  #descriptor: number | null
  #isWaiting = false

  constructor(descriptor: number, kind: Report['kind']) {
    this.#descriptor = descriptor
    this.#kind = kind
  }

  keepWaiting(): void {
    this.#isWaiting = true
    this.#write(firstWords.wait)
  }

  allow(options: Allowance = {}): boolean {
    return this.#answer(allowReply(options))
  }

  deny(message: string): boolean {
    if (this.#kind === 'prompt-taken') return this.#answer(blockPromptReply(message))
    return this.#answer(this.#kind === 'about-to-use' ? refuseToolReply(message) : denyReply(message))
  }

  askUser(message: string): boolean {
    return this.#answer(askAboutToolReply(message))
  }

  release(): void {
    if (!this.#isWaiting) this.#write('')
    this.#close()
  }

  giveUp(): void {
    this.#write(firstWords.otherwise)
    this.#close()
  }

  #answer(reply: Reply): boolean {
    const isTaken = this.#write(asciiJson(reply))
    this.#close()
    return isTaken
  }

  #write(line: string): boolean {
    if (this.#descriptor === null) return false
    try {
      return writeWhole(this.#descriptor, `${line}\n`)
    } catch {
      return false
    }
  }

  #close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor)
    this.#descriptor = null
  }
}

/** Not every sh reads all bytes of other scripts unchanged. */
function asciiJson(reply: Reply): string {
  return JSON.stringify(reply).replace(
    /[\u007f-\uffff]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The hook reads at once, so a line that is longer than the pipe takes only a moment. */
const longestWriteMs = 3_000
const pauseMs = 1

function writeWhole(descriptor: number, line: string): boolean {
  const deadlineMs = performance.now() + longestWriteMs
  for (let rest = Buffer.from(line); rest.length > 0; ) {
    const written = writeSome(descriptor, rest)
    rest = rest.subarray(written)
    if (written > 0) continue
    if (performance.now() > deadlineMs) return false
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
  }
  return true
}

/** Returns 0 while the pipe is full. */
function writeSome(descriptor: number, bytes: Buffer): number {
  try {
    return writeSync(descriptor, bytes)
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return 0
    throw error
  }
}

/** Refuses a regular file, which would accept every answer although no process reads it. */
function openForWriting(path: string): number | null {
  try {
    const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    if (fstatSync(descriptor).isFIFO()) return descriptor
    closeSync(descriptor)
  } catch {
    // No hook is waiting.
  }
  return null
}
