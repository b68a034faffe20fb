import { readSync } from 'node:fs'
import { isObject } from '../io/json.ts'

const chunkBytes = 256 * 1024
const newline = 10
const quote = 34

const parentKey = Buffer.from('{"parentUuid":')
const nullWord = Buffer.from('null')
const logicalKey = Buffer.from(',"logicalParentUuid":"')
const sidechainKey = Buffer.from(',"isSidechain":')
const falseWord = Buffer.from('false,')
const idKey = Buffer.from(',"uuid":"')
const typeKey = Buffer.from('{"type":"')

/** The line is the first of a conversation. */
const none = -1

/**
 * The lines of a transcript that say which line they follow. Each takes about 30 bytes here, and is not parsed if Claude
 * has written it: the ids are found by their keys, which cannot occur inside of a JSON string. Lines of subagents are left
 * out, and so are lines that are cut off or no JSON.
 */
export class ConversationIndex {
  count = 0
  /** The end of the last complete line. */
  scannedBytes = 0
  #offsets = new Float64Array(1024)
  #lengths = new Uint32Array(1024)
  #parents = new Int32Array(1024)
  #hashes = new Uint32Array(2048)
  /** Finds a line by the hash of its id: open addressing, with the number of the line plus 1. */
  #table = new Int32Array(4096)

  offset(line: number): number {
    return this.#offsets[line]!
  }

  length(line: number): number {
    return this.#lengths[line]!
  }

  /** The line that this one follows, always an earlier one. Negative for the beginning of a conversation. */
  parent(line: number): number {
    return this.#parents[line]!
  }

  /** Reads what the file has gained. */
  grow(file: number): void {
    let buffer = Buffer.allocUnsafe(chunkBytes)
    let kept = 0
    for (;;) {
      if (kept === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2)
      const read = readSync(file, buffer, kept, buffer.length - kept, this.scannedBytes + kept)
      const view = buffer.subarray(0, kept + read)
      if (read === 0) {
        this.#addLastLine(view)
        return
      }
      const end = this.#addLines(view)
      view.copyWithin(0, end)
      kept = view.length - end
      this.scannedBytes += end
    }
  }

  /** Returns the end of the last complete line. The ids are searched in the whole chunk at once, which is fastest. */
  #addLines(chunk: Buffer): number {
    let start = 0
    let id = chunk.indexOf(idKey)
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      while (id >= 0 && id < start) id = chunk.indexOf(idKey, id + 1)
      const own = id >= 0 && id < end ? id : null
      if (own !== null) id = chunk.indexOf(idKey, own + 1)
      const isOnlyOne = id < 0 || id >= end
      if (!isOnlyOne || !this.#addKnownForm(chunk, start, end, own)) this.#addAnyForm(chunk, start, end)
      start = end + 1
    }
    return start
  }

  /** A last line without its newline counts if it is whole. */
  #addLastLine(rest: Buffer): void {
    if (rest.length > 0 && this.#addAnyForm(rest, 0, rest.length)) this.scannedBytes += rest.length
  }

  /** Returns false if the line must be parsed. */
  #addKnownForm(chunk: Buffer, start: number, end: number, id: number | null): boolean {
    if (!isAt(chunk, parentKey, start)) return id === null && isOfOtherType(chunk, start)
    if (id === null) return false
    let at = start + parentKey.length
    let parent = none
    if (chunk[at] === quote) {
      const close = chunk.indexOf(quote, at + 1)
      parent = this.#find(chunk, at + 1, close) ?? this.count - 1
      at = close + 1
    } else if (isAt(chunk, nullWord, at)) {
      at += nullWord.length
      if (isAt(chunk, logicalKey, at)) {
        const close = chunk.indexOf(quote, at + logicalKey.length)
        parent = this.#find(chunk, at + logicalKey.length, close) ?? none
        at = close + 1
      }
    } else return false
    if (!isAt(chunk, sidechainKey, at) || !isAt(chunk, falseWord, at + sidechainKey.length)) return false
    const from = id + idKey.length
    this.#add(chunk, from, chunk.indexOf(quote, from), start, end, parent)
    return true
  }

  /** Returns whether the line is JSON. */
  #addAnyForm(chunk: Buffer, start: number, end: number): boolean {
    const line = parsedLine(chunk.toString('utf8', start, end))
    if (line === null) return false
    const { uuid, parentUuid, logicalParentUuid, isSidechain } = line
    if (typeof uuid !== 'string' || isSidechain === true) return true
    const findId = (id: string) => this.#find(Buffer.from(id), 0, Buffer.byteLength(id))
    // A line whose parent is missing continues the line before it.
    let parent = none
    if (typeof parentUuid === 'string') parent = findId(parentUuid) ?? this.count - 1
    else if (typeof logicalParentUuid === 'string') parent = findId(logicalParentUuid) ?? none
    this.#add(Buffer.from(uuid), 0, Buffer.byteLength(uuid), start, end, parent)
    return true
  }

  #add(id: Buffer, idFrom: number, idTo: number, start: number, end: number, parent: number): void {
    if (this.count === this.#offsets.length) this.#enlarge()
    const line = this.count++
    this.#offsets[line] = this.scannedBytes + start
    this.#lengths[line] = end - start
    this.#parents[line] = parent
    this.#hashes[2 * line] = hashOf(id, idFrom, idTo, 0x01000193)
    this.#hashes[2 * line + 1] = hashOf(id, idFrom, idTo, 0x85ebca6b)
    this.#enter(line)
  }

  #find(id: Buffer, from: number, to: number): number | null {
    const first = hashOf(id, from, to, 0x01000193)
    const second = hashOf(id, from, to, 0x85ebca6b)
    const mask = this.#table.length - 1
    for (let slot = first & mask; this.#table[slot] !== 0; slot = (slot + 1) & mask) {
      const line = this.#table[slot]! - 1
      if (this.#hashes[2 * line] === first && this.#hashes[2 * line + 1] === second) return line
    }
    return null
  }

  #enter(line: number): void {
    const mask = this.#table.length - 1
    let slot = this.#hashes[2 * line]! & mask
    while (this.#table[slot] !== 0) slot = (slot + 1) & mask
    this.#table[slot] = line + 1
  }

  #enlarge(): void {
    const lines = this.#offsets.length * 2
    this.#offsets = enlarged(this.#offsets, new Float64Array(lines))
    this.#lengths = enlarged(this.#lengths, new Uint32Array(lines))
    this.#parents = enlarged(this.#parents, new Int32Array(lines))
    this.#hashes = enlarged(this.#hashes, new Uint32Array(2 * lines))
    this.#table = new Int32Array(4 * lines)
    for (let line = 0; line < this.count; line++) this.#enter(line)
  }
}

function enlarged<T extends Float64Array | Uint32Array | Int32Array>(old: T, larger: T): T {
  larger.set(old)
  return larger
}

/** Ids of 36 characters are random, and two hashes of 32 bits are enough to tell them apart. */
function hashOf(bytes: Buffer, from: number, to: number, factor: number): number {
  let hash = 0x811c9dc5
  for (let index = from; index < to; index++) hash = Math.imul(hash ^ bytes[index]!, factor)
  return (hash ^ (hash >>> 15)) >>> 0
}

function isAt(bytes: Buffer, word: Buffer, at: number): boolean {
  for (let index = 0; index < word.length; index++) if (bytes[at + index] !== word[index]) return false
  return true
}

const typesWithIds = ['user"', 'assistant"', 'system"', 'attachment"'].map(word => Buffer.from(word))

/** Whether the line is one of those without an id, such as `{"type":"file-history-snapshot",…`. */
function isOfOtherType(chunk: Buffer, start: number): boolean {
  if (!isAt(chunk, typeKey, start)) return false
  return !typesWithIds.some(word => isAt(chunk, word, start + typeKey.length))
}

/** Returns null if the line is not a JSON object. */
export function parsedLine(text: string): Record<string, unknown> | null {
  try {
    const line: unknown = JSON.parse(text)
    return isObject(line) ? line : null
  } catch {
    return null
  }
}
