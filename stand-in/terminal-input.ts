import { openSync, readFileSync } from 'node:fs'
import { ReadStream } from 'node:tty'
import { type Key, KeyParser, type Report } from './keys.ts'

/** How long an Esc waits for the rest of a sequence. */
const escapeDelayMs = 25

/** The keys: from stdin when it is the terminal, from the terminal itself when stdin brought a prompt. */
export class TerminalInput {
  private readonly stream: ReadStream
  private readonly parser = new KeyParser()
  private timer: NodeJS.Timeout | undefined

  constructor(stdin: NodeJS.ReadStream) {
    this.stream = stdin.isTTY ? stdin : new ReadStream(openSync('/dev/tty', 'r+'))
  }

  listen(onKey: (key: Key | Report) => void, onGone: () => void): void {
    this.stream.setEncoding('utf8')
    this.stream.on('error', onGone)
    this.stream.on('end', onGone)
    this.stream.on('data', (data: Buffer | string) => {
      clearTimeout(this.timer)
      for (const key of this.parser.feed(String(data))) onKey(key)
      if (this.parser.escapePending)
        this.timer = setTimeout(() => this.parser.flush().forEach(onKey), escapeDelayMs)
    })
    this.raw(true)
    this.stream.resume()
  }

  raw(on: boolean): void {
    try {
      this.stream.setRawMode(on)
    } catch {
      /* the terminal is gone */
    }
  }

  close(): void {
    clearTimeout(this.timer)
    this.raw(false)
    this.stream.pause()
    this.stream.destroy()
  }
}

/** What stdin brings when it is not the terminal. */
export function promptFromStdin(stdin: NodeJS.ReadStream): string | undefined {
  return stdin.isTTY ? undefined : readFileSync(0, 'utf8')
}
