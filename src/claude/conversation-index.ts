import { isObject } from '../io/json.ts'
import { readWholeLines } from '../io/whole-lines.ts'

const newline = 10
const quote = 34

const parentKey = Buffer.from('{"parentUuid":')
const nullWord = Buffer.from('null')
const logicalKey = Buffer.from(',"logicalParentUuid":"')
const sidechainKey = Buffer.from(',"isSidechain":')
const falseWord = Buffer.from('false,')
const trueWord = Buffer.from('true,')
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

  /** Reads what the file has gained. A last line without its newline counts if it is whole. */
  grow(file: number): void {
    const rest = readWholeLines(file, this.scannedBytes, chunk => {
      this.#addLines(chunk)
      this.scannedBytes += chunk.length
      return true
    })
    if (rest.length > 0 && this.#addAnyForm(rest, 0, rest.length)) this.scannedBytes += rest.length
  }

  /** The ids are searched in the whole chunk at once, which is fastest. */
  #addLines(chunk: Buffer): void {
    let id = chunk.indexOf(idKey)
    for (let start = 0; start < chunk.length; ) {
      const end = chunk.indexOf(newline, start)
      while (id >= 0 && id < start) id = chunk.indexOf(idKey, id + 1)
      const own = id >= 0 && id < end ? id : null
      if (own !== null) id = chunk.indexOf(idKey, own + 1)
      const isOnlyOne = id < 0 || id >= end
      if (!isOnlyOne || !this.#addKnownForm(chunk, start, end, own)) this.#addAnyForm(chunk, start, end)
      start = end + 1
    }
  }

  /** Returns false if the line must be parsed. */
  #addKnownForm(chunk: Buffer, start: number, end: number, id: number | null): boolean {
    if (!isAt(chunk, parentKey, start)) return id === null && isOfOtherType(chunk, start)
    if (id === null) return false
    let at = start + parentKey.length
    let parent = none
    if (chunk[at] === quote) {
      const close = chunk.indexOf(quote, at + 1)
      parent = this.#find(chunk, at + 1, close)
      at = close + 1
    } else if (isAt(chunk, nullWord, at)) {
      at += nullWord.length
      if (isAt(chunk, logicalKey, at)) {
        const close = chunk.indexOf(quote, at + logicalKey.length)
        parent = this.#find(chunk, at + logicalKey.length, close)
        at = close + 1
      }
    } else return false
    if (!isAt(chunk, sidechainKey, at) || !isAt(chunk, falseWord, at + sidechainKey.length)) return false
    const from = id + idKey.length
    const to = chunk.indexOf(quote, from)
    if (to < 0 || to > end) return false
    this.#add(chunk, from, to, start, end, parent)
    return true
  }

  /** Returns whether the line is JSON. */
  #addAnyForm(chunk: Buffer, start: number, end: number): boolean {
    const line = parsedLine(chunk.toString('utf8', start, end))
    if (line === null) return false
    const { uuid, parentUuid, logicalParentUuid, isSidechain } = line
    if (typeof uuid !== 'string' || isSidechain === true) return true
    const earlier = parentUuid ?? logicalParentUuid
    const id = typeof earlier === 'string' ? Buffer.from(earlier) : null
    const parent = id === null ? none : this.#find(id, 0, id.length)
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

  /** The line with this id. If there is none so far, the latest line. */
  #find(id: Buffer, from: number, to: number): number {
    const first = hashOf(id, from, to, 0x01000193)
    const second = hashOf(id, from, to, 0x85ebca6b)
    const mask = this.#table.length - 1
    for (let slot = first & mask; this.#table[slot] !== 0; slot = (slot + 1) & mask) {
      const line = this.#table[slot]! - 1
      if (this.#hashes[2 * line] === first && this.#hashes[2 * line + 1] === second) return line
    }
    return this.count - 1
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

/**
 * The first line of the conversation, without its newline, if a look at the beginnings of all lines proves which one it
 * is. That takes a third of the time of an index. Null if the user may have gone back to the very beginning.
 */
export function provenFirstLine(file: number): Buffer | null {
  let first: Buffer | null = null
  let isProven = true
  const rest = readWholeLines(file, 0, chunk => {
    for (let start = 0; isProven && start < chunk.length; ) {
      const end = chunk.indexOf(newline, start)
      const isLater = first !== null && followsAnother(chunk, start)
      if (!isLater && !isOfOtherType(chunk, start)) {
        isProven = first === null && isAt(chunk, parentKey, start)
        if (isProven) first = Buffer.from(chunk.subarray(start, end))
      }
      start = end + 1
    }
    return isProven
  })
  const isCertain = rest.length === 0 || isOfOtherType(rest, 0) || followsAnother(rest, 0)
  return isProven && isCertain ? first : null
}

/** Whether the line certainly follows an earlier one, or belongs to a subagent. */
function followsAnother(chunk: Buffer, start: number): boolean {
  if (!isAt(chunk, parentKey, start)) return false
  const at = start + parentKey.length
  if (chunk[at] === quote) return true
  const afterNull = at + nullWord.length
  if (isAt(chunk, logicalKey, afterNull)) return true
  return isAt(chunk, sidechainKey, afterNull) && isAt(chunk, trueWord, afterNull + sidechainKey.length)
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
