import { closeSync, constants, fstatSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { ReplyChannel, Report } from './agent-report.ts'
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

  allow(options: { mode?: string } = {}): boolean {
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
    const isTaken = this.#write(JSON.stringify(reply))
    this.#close()
    return isTaken
  }

  #write(line: string): boolean {
    if (this.#descriptor === null) return false
    try {
      writeSync(this.#descriptor, `${line}\n`)
      return true
    } catch {
      return false
    }
  }

  #close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor)
    this.#descriptor = null
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
