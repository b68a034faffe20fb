import { closeSync, existsSync, openSync, readFileSync, readSync, watch } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import type { Context } from '../context.ts'
import { getLoop } from '../db/loops.ts'
import type { Database } from '../db/open-store.ts'
import { errorCode } from '../errors.ts'
import { cleanLines } from '../io/text.ts'
import { untilChange } from '../mission/followers.ts'
import { interruptible } from '../system/signals.ts'
import { watchLife } from '../system/watch-life.ts'
import type { LoopJson } from './loop-json.ts'
import { isRun } from './loop-lease.ts'
import { loopLifeSign } from './loop-log.ts'

const chunkBytes = 64 * 1024
/** A killed process is in the list of processes for a moment after its files are closed. */
const killedMs = 100

/** Prints a log from its beginning, and what is added to it with each `printMore`. */
class LogPrinter {
  readonly #context: Context
  readonly #path: string
  readonly #decoder = new StringDecoder('utf8')
  #at = 0

  constructor(context: Context, path: string) {
    this.#context = context
    this.#path = path
  }

  printMore(): void {
    try {
      const file = openSync(this.#path, 'r')
      try {
        const chunk = Buffer.alloc(chunkBytes)
        for (let count = readSync(file, chunk, 0, chunkBytes, this.#at); count > 0; ) {
          this.#at += count
          this.#print(this.#decoder.write(chunk.subarray(0, count)))
          count = readSync(file, chunk, 0, chunkBytes, this.#at)
        }
      } finally {
        closeSync(file)
      }
    } catch (error) {
      // A loop that has just been stored has no log yet.
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }

  #print(text: string): void {
    const { out } = this.#context
    out.write(out.isTerminal ? cleanLines(text) : text)
  }
}

export function readLog(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

export function printLog(context: Context, path: string): void {
  new LogPrinter(context, path).printMore()
}

/** Prints the log until the loop has ended. */
export async function followLog(context: Context, { id, log }: LoopJson): Promise<void> {
  const printer = new LogPrinter(context, log)
  printer.printMore()
  await interruptible(async signal => {
    const watcher = watch(log, () => printer.printMore())
    const lives: { close: () => void }[] = []
    const hasEnded = (db: Database | null, wake: () => void) => {
      // A runner that is killed tells nobody.
      const life = lives.length === 0 ? watchLife(loopLifeSign(log), () => setTimeout(wake, killedMs)) : null
      if (life !== null) lives.push(life)
      const loop = db ? getLoop(db, id) : undefined
      return loop?.status === 'running' && isRun(context, loop) ? undefined : true
    }
    try {
      await untilChange(context, hasEnded, { signal })
    } finally {
      watcher.close()
      for (const life of lives) life.close()
    }
  })
  printer.printMore()
}
