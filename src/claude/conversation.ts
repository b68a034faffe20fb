import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { isObject } from '../io/json.ts'
import { isOtherFile } from '../io/whole-lines.ts'
import { type ConversationEntry, EntryReader } from './conversation-entry.ts'
import { ConversationIndex, parsedLine, provenFirstLine } from './conversation-index.ts'

const windowBytes = 256 * 1024
/** An index of this many bytes takes a few milliseconds. */
const soonIndexedBytes = 4 * 1024 * 1024

/**
 * The conversation in a transcript, as it is now: without what the user has rewound, and without subagents. The file is
 * read through a window, so its size does not matter.
 */
export class Conversation {
  readonly #file: number
  readonly #index = new ConversationIndex()
  readonly #reader = new EntryReader()
  #window = Buffer.allocUnsafe(windowBytes)
  #windowStart = 0
  #windowEnd = 0

  constructor(path: string) {
    this.#file = openSync(path, 'r')
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Whether the path has another file by now, or the file has lost what was read already. */
  isReplaced(path: string): boolean {
    return isOtherFile(this.#file, path, this.#index.scannedBytes)
  }

  /**
   * What the first of the lines says, sooner than the index of a large transcript is ready. Null if that is not certain
   * yet, or if the line says nothing.
   */
  beginning(): ConversationEntry[] | null {
    if (fstatSync(this.#file).size < soonIndexedBytes) return null
    const line = provenFirstLine(this.#file)
    const parsed = line === null ? null : parsedLine(line.toString())
    if (parsed === null || parsed.isSidechain === true || typeof parsed.uuid !== 'string') return null
    const entries = this.#reader.entriesOf(parsed)
    return entries.length > 0 ? entries : null
  }

  /** Reads what Claude has added. Returns the lines of the conversation, as numbers that rise in its order. */
  lines(): number[] {
    this.#index.grow(this.#file)
    const marks = this.#marks()
    const lines: number[] = []
    for (let line = 0; line < marks.length; line++) if (marks[line] === 1) lines.push(line)
    return lines
  }

  /** What a line says, if anything. Read lines in the order of the conversation, so that tools have their names. */
  entries(line: number): ConversationEntry[] {
    const bytes = this.#bytes(line)
    return saysNothing(bytes) ? [] : this.#reader.entriesOf(parsedLine(bytes.toString()) ?? {})
  }

  /** Marks the way from the last line back to the first one, and the tools that ran beside it. */
  #marks(): Uint8Array {
    const marks = new Uint8Array(this.#index.count)
    for (let line = this.#lastLine(); line >= 0; line = this.#index.parent(line)) marks[line] = 1
    for (let line = 0; line < marks.length; line++) {
      const parent = this.#index.parent(line)
      if (marks[line] === 0 && parent >= 0 && marks[parent] === 1 && this.#isBeside(line, parent))
        marks[line] = 1
    }
    return marks
  }

  /**
   * Of several tools that Claude uses at once, the conversation goes on from one only. The user cannot go back to a point
   * between them, so the others have not been rewound.
   */
  #isBeside(line: number, parent: number): boolean {
    const { type, message } = this.#parsed(line)
    if (this.#parsed(parent).type !== 'assistant') return false
    const content = isObject(message) && Array.isArray(message.content) ? message.content : []
    const isResult = content.some(block => isObject(block) && block.type === 'tool_result')
    return type === 'assistant' || (type === 'user' && isResult)
  }

  /** Later lines may be notes of Claude Code that follow another line. */
  #lastLine(): number {
    let line = this.#index.count - 1
    while (line >= 0 && !isSaid(this.#parsed(line))) line--
    return line
  }

  #parsed(line: number): Record<string, unknown> {
    return parsedLine(this.#bytes(line).toString()) ?? {}
  }

  /** Valid until the next call. */
  #bytes(line: number): Buffer {
    const offset = this.#index.offset(line)
    const length = this.#index.length(line)
    if (offset < this.#windowStart || offset + length > this.#windowEnd) this.#moveWindow(offset, length)
    const start = offset - this.#windowStart
    return this.#window.subarray(start, start + length)
  }

  #moveWindow(offset: number, length: number): void {
    const size = Math.max(length, windowBytes)
    if (this.#window.length !== size) this.#window = Buffer.allocUnsafe(size)
    const isBackward = offset < this.#windowStart
    this.#windowStart = isBackward ? Math.max(0, offset + length - size) : offset
    this.#windowEnd = this.#windowStart + readSync(this.#file, this.#window, 0, size, this.#windowStart)
  }
}

function isSaid({ type, attachment }: Record<string, unknown>): boolean {
  if (type === 'user' || type === 'assistant') return true
  return type === 'attachment' && isObject(attachment) && attachment.type === 'queued_command'
}

const attachmentKey = '"attachment":{"type":"'
const earlyBytes = 200

/** Recognises most of the bytes of a transcript without parsing them: results of tools, and notes for Claude. */
function saysNothing(line: Buffer): boolean {
  const attachment = line.subarray(0, earlyBytes).indexOf(attachmentKey)
  if (attachment >= 0) return !line.subarray(attachment).includes('queued_command')
  return (
    line.includes('"type":"tool_result"') &&
    line.includes('"type":"user"') &&
    !line.includes('"is_error":true') &&
    !line.includes('"type":"text"')
  )
}
