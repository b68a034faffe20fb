import { closeSync, constants, fstatSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { words } from './asking-hook.ts'
import type { Reply } from './permission-reply.ts'

/** The FIFO on which a hook waits for its answer. */
export class AskChannel {
  #descriptor: number | null
  #isWaiting = false

  /** null: nobody waits there, or no longer. A hook that gives up removes its FIFO first, and so do we. */
  static open(path: string): AskChannel | null {
    const descriptor = openForWriting(path)
    if (descriptor === null) return null
    try {
      unlinkSync(path)
      return new AskChannel(descriptor)
    } catch {
      closeSync(descriptor)
      return null
    }
  }

  private constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  /** From here on the hook's waiting ends with this process, however that ends. */
  keepWaiting(): void {
    this.#isWaiting = true
    this.#write(words.wait)
  }

  /** false: the hook is gone, and the answer comes too late. */
  answer(reply: Reply): boolean {
    const isTaken = this.#write(JSON.stringify(reply))
    this.#close()
    return isTaken
  }

  /** Claude goes on as if there were no hook: the user is asked. */
  release(): void {
    if (!this.#isWaiting) this.#write('')
    this.#close()
  }

  /** It cannot be decided: the hook says what it says without us. */
  giveUp(): void {
    this.#write(words.otherwise)
    this.#close()
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

function openForWriting(path: string): number | null {
  try {
    const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
    // A file takes every answer, and nobody reads it.
    if (fstatSync(descriptor).isFIFO()) return descriptor
    closeSync(descriptor)
  } catch {
    // Nobody waits there.
  }
  return null
}
