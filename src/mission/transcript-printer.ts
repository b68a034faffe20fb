import { closeSync, openSync } from 'node:fs'
import { Conversation } from '../claude/conversation.ts'
import type { ConversationEntry } from '../claude/conversation-entry.ts'
import { parsedLine } from '../claude/conversation-index.ts'
import type { Output } from '../io/output.ts'
import { withoutControls } from '../io/text.ts'
import { isOtherFile, readWholeLines } from '../io/whole-lines.ts'
import type { ConversationText } from './conversation-text.ts'

/** Prints what a transcript holds, and with every further call what it has gained. */
export interface TranscriptPrinter {
  printNew(): Promise<void>
  /** Whether the path of the transcript has another file by now. */
  isReplaced(): boolean
  close(): void
}

export interface EntryOutput {
  out: Output
  /** Null for one JSON object per line. */
  text: ConversationText | null
  /** Ends a long conversation between two entries. */
  signal?: AbortSignal
}

const batchCharacters = 64 * 1024

/** Collects entries before it writes them, but the first one is written at once. */
export class EntryWriter {
  readonly #output: EntryOutput
  #batch = ''
  #hasWritten = false
  count = 0
  /** The line of the last entry. */
  lastUuid: string | null = null

  constructor(output: EntryOutput) {
    this.#output = output
  }

  async add(entry: ConversationEntry): Promise<void> {
    const { out, text } = this.#output
    this.count++
    this.lastUuid = entry.uuid ?? this.lastUuid
    this.#batch += text ? await text.of(entry) : `${forOutput(out, JSON.stringify(entry))}\n`
    if (this.#hasWritten && this.#batch.length < batchCharacters) return
    this.flush()
    // Lets Ctrl-C through.
    await new Promise(resolve => setImmediate(resolve))
  }

  flush(): void {
    if (this.#batch === '') return
    this.#hasWritten = true
    this.#output.out.write(this.#batch)
    this.#batch = ''
  }

  /** False if nobody wants more. */
  get isWanted(): boolean {
    const { out, signal } = this.#output
    return out.hasReader() && signal?.aborted !== true
  }
}

/** Prints the conversation as it is now. `tail` is the number of entries to begin with; null for all. */
export class ConversationPrinter implements TranscriptPrinter {
  readonly #path: string
  readonly #conversation: Conversation
  readonly #writer: EntryWriter
  readonly #now: () => Date
  #tail: number | null
  #last: number | null = null

  constructor(path: string, writer: EntryWriter, now: () => Date, tail: number | null) {
    this.#path = path
    this.#conversation = new Conversation(path)
    this.#writer = writer
    this.#now = now
    this.#tail = tail
  }

  /** Goes on after the line with this id. Returns false if there is none. */
  goOnAfter(uuid: string | null): boolean {
    const isIt = (line: number) => this.#conversation.entries(line).some(entry => entry.uuid === uuid)
    this.#last = (uuid === null ? undefined : this.#conversation.lines().findLast(isIt)) ?? null
    return this.#last !== null
  }

  isReplaced(): boolean {
    return this.#conversation.isReplaced(this.#path)
  }

  async printNew(): Promise<void> {
    const beginning = this.#last === null && this.#tail === null ? this.#conversation.beginning() : null
    for (const entry of beginning ?? []) await this.#writer.add(entry)
    const lines = this.#conversation.lines()
    if (beginning !== null) this.#last = lines[0] ?? null
    const last = this.#last
    if (last !== null && !lines.includes(last)) await this.#writer.add(noteOf('rewind', 'user', this.#now()))
    let { index, skip } = this.#start(lines)
    for (; index < lines.length && this.#writer.isWanted; index++) {
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

const newline = 10

/** Prints the transcript's own lines. A last line that is cut off is left out until it is whole. */
export class RawPrinter implements TranscriptPrinter {
  readonly #path: string
  readonly #file: number
  readonly #out: Output
  #offset = 0
  #tail: number | null

  constructor(path: string, out: Output, tail: number | null) {
    this.#path = path
    this.#file = openSync(path, 'r')
    this.#out = out
    this.#tail = tail
  }

  async printNew(): Promise<void> {
    if (this.#tail !== null) this.#offset = this.#offsetOfTail(this.#tail)
    this.#tail = null
    const rest = readWholeLines(this.#file, this.#offset, lines => {
      this.#write(lines)
      this.#offset += lines.length
      return this.#out.hasReader()
    })
    if (parsedLine(rest.toString()) === null) return
    this.#write(Buffer.concat([rest, Buffer.of(newline)]))
    // Its newline is still to come, or never will.
    this.#offset += rest.length + 1
  }

  #write(lines: Buffer): void {
    const text = lines.toString()
    this.#out.write(this.#out.isTerminal ? text.split('\n').map(withoutControls).join('\n') : text)
  }

  isReplaced(): boolean {
    return isOtherFile(this.#file, this.#path, this.#offset - 1)
  }

  /** The transcript is read twice, so that no line has to be kept. */
  #offsetOfTail(count: number): number {
    const starts: number[] = []
    let lines = 0
    let end = 0
    const note = (offset: number) => {
      if (count > 0) starts[lines++ % count] = offset
    }
    const rest = readWholeLines(this.#file, 0, (chunk, offset) => {
      for (let start = 0; start < chunk.length; start = chunk.indexOf(newline, start) + 1)
        note(offset + start)
      end = offset + chunk.length
      return true
    })
    const isWhole = parsedLine(rest.toString()) !== null
    if (count === 0) return isWhole ? end + rest.length + 1 : end
    if (isWhole) note(end)
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
