import { closeSync, openSync, readSync } from 'node:fs'
import { Conversation } from '../claude/conversation.ts'
import type { ConversationEntry } from '../claude/conversation-entry.ts'
import { parsedLine } from '../claude/conversation-index.ts'
import type { Output } from '../io/output.ts'
import { withoutControls } from '../io/text.ts'
import type { ConversationText } from './conversation-text.ts'

/** Prints what a transcript holds, and with every further call what it has gained. */
export interface TranscriptPrinter {
  printNew(): Promise<void>
  close(): void
}

/** How entries look: readable, or one JSON object per line if `text` is null. */
export interface Look {
  out: Output
  text: ConversationText | null
}

const batchCharacters = 64 * 1024

/** Collects entries before it writes them, but the first one is written at once. */
export class EntryWriter {
  readonly #look: Look
  #batch = ''
  #hasWritten = false
  count = 0

  constructor(look: Look) {
    this.#look = look
  }

  async add(entry: ConversationEntry): Promise<void> {
    const { out, text } = this.#look
    this.count++
    this.#batch += text ? await text.of(entry) : `${forOutput(out, JSON.stringify(entry))}\n`
    if (!this.#hasWritten || this.#batch.length >= batchCharacters) this.flush()
  }

  flush(): void {
    if (this.#batch === '') return
    this.#hasWritten = true
    this.#look.out.write(this.#batch)
    this.#batch = ''
  }

  get hasReader(): boolean {
    return this.#look.out.hasReader()
  }
}

/** Prints the conversation as it is now. `tail` is the number of entries to begin with; null for all. */
export class ConversationPrinter implements TranscriptPrinter {
  readonly #conversation: Conversation
  readonly #writer: EntryWriter
  readonly #now: () => Date
  #tail: number | null
  #last: number | null = null

  constructor(path: string, writer: EntryWriter, now: () => Date, tail: number | null) {
    this.#conversation = new Conversation(path)
    this.#writer = writer
    this.#now = now
    this.#tail = tail
  }

  async printNew(): Promise<void> {
    const lines = this.#conversation.lines()
    const last = this.#last
    if (last !== null && !lines.includes(last)) await this.#writer.add(noteOf('rewind', 'user', this.#now()))
    let { index, skip } = this.#start(lines)
    for (; index < lines.length && this.#writer.hasReader; index++) {
      for (const entry of this.#conversation.entries(lines[index]!))
        if (skip-- <= 0) await this.#writer.add(entry)
      this.#last = lines[index]!
    }
    this.#tail = null
    this.#writer.flush()
  }

  /** Where to begin: at the first new line or, with a tail, so many entries before the end. */
  #start(lines: readonly number[]): { index: number; skip: number } {
    if (this.#tail === null) {
      const isNew = (line: number) => this.#last === null || line > this.#last
      const first = lines.findIndex(isNew)
      return { index: first < 0 ? lines.length : first, skip: 0 }
    }
    let [index, missing] = [lines.length, this.#tail]
    while (index > 0 && missing > 0) missing -= this.#conversation.entries(lines[--index]!).length
    if (index === lines.length) this.#last = lines.at(-1) ?? null
    return { index, skip: -missing }
  }

  close(): void {
    this.#conversation.close()
  }
}

/** An entry that no line of the transcript holds. */
export function noteOf(kind: 'rewind' | 'conversation', by: 'user' | 'system', now: Date): ConversationEntry {
  return { uuid: null, at: now.toISOString(), by, kind, text: '', tool: null, input: null }
}

const chunkBytes = 1024 * 1024
const newline = 10

/** Prints the transcript's own lines. A last line that is cut off is left out until it is whole. */
export class RawPrinter implements TranscriptPrinter {
  readonly #file: number
  readonly #out: Output
  #offset = 0
  #tail: number | null

  constructor(path: string, out: Output, tail: number | null) {
    this.#file = openSync(path, 'r')
    this.#out = out
    this.#tail = tail
  }

  async printNew(): Promise<void> {
    if (this.#tail !== null) this.#offset = this.#offsetOfTail(this.#tail)
    this.#tail = null
    this.#eachPart(part => this.#write(part))
  }

  #write(part: Buffer): void {
    const text = part.toString()
    this.#out.write(this.#out.isTerminal ? text.split('\n').map(withoutControls).join('\n') : text)
  }

  /** Calls `use` with whole lines, a chunk at a time. */
  #eachPart(use: (part: Buffer) => void): void {
    let buffer = Buffer.allocUnsafe(chunkBytes)
    while (this.#out.hasReader()) {
      const read = readSync(this.#file, buffer, 0, buffer.length, this.#offset)
      const end = buffer.subarray(0, read).lastIndexOf(newline) + 1
      if (end > 0) {
        use(buffer.subarray(0, end))
        this.#offset += end
      } else if (read === buffer.length) buffer = Buffer.allocUnsafe(buffer.length * 2)
      else {
        const rest = buffer.subarray(0, read)
        if (parsedLine(rest.toString()) === null) return
        use(Buffer.concat([rest, Buffer.of(newline)]))
        // Its newline is still to come, or never will.
        this.#offset += read + 1
        return
      }
    }
  }

  /** The transcript is read twice, so that no line has to be kept. */
  #offsetOfTail(count: number): number {
    const starts: number[] = []
    let offset = 0
    let lines = 0
    this.#eachPart(part => {
      for (let start = 0; start < part.length; start = part.indexOf(newline, start) + 1) {
        starts[lines++ % Math.max(1, count)] = offset + start
      }
      offset += part.length
    })
    if (count === 0) return this.#offset
    return lines < count ? 0 : starts[lines % count]!
  }

  close(): void {
    closeSync(this.#file)
  }
}

/** Only for people: a program that reads the output gets every byte. */
function forOutput(out: Output, line: string): string {
  return out.isTerminal ? withoutControls(line) : line
}
