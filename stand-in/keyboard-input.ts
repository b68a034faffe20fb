import { openSync, readFileSync } from 'node:fs'
import { ReadStream } from 'node:tty'

/** An Esc counts as the Esc key if no more bytes of a sequence arrive within this time. */
const escapeDelayMs = 25

/** Reads keys from stdin, or from `/dev/tty` if stdin is not a terminal and holds a prompt. */
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
      // The terminal is gone.
    }
  }

  close(): void {
    clearTimeout(this.timer)
    this.raw(false)
    this.stream.pause()
    this.stream.destroy()
  }
}

/** Returns undefined if stdin is the terminal. */
export function promptFromStdin(stdin: NodeJS.ReadStream): string | undefined {
  return stdin.isTTY ? undefined : readFileSync(0, 'utf8')
}

export type KeyName =
  | 'enter'
  | 'newline'
  | 'escape'
  | 'backspace'
  | 'left'
  | 'right'
  | 'up'
  | 'down'
  | 'home'
  | 'end'
  | 'tab'
  | 'shift-tab'
  | 'ctrl-c'
  | 'ctrl-d'
  | 'ctrl-s'
  | 'ctrl-u'
  | 'ctrl-x'
  | 'ctrl-z'

export type Key = { name: KeyName } | { name: 'text'; text: string } | { name: 'paste'; text: string }

/** A message from the terminal itself, not a key. */
export type Report = { name: 'keyboard-protocol' }

const esc = '\u001b'
const pasteStart = '\u001b[200~'
const pasteEnd = '\u001b[201~'

const controls: Record<string, KeyName> = {
  '\r': 'enter',
  '\n': 'newline',
  '\t': 'tab',
  '\u0001': 'home',
  '\u0003': 'ctrl-c',
  '\u0004': 'ctrl-d',
  '\u0005': 'end',
  '\u0008': 'backspace',
  '\u0013': 'ctrl-s',
  '\u0015': 'ctrl-u',
  '\u0018': 'ctrl-x',
  '\u001a': 'ctrl-z',
  '\u007f': 'backspace',
}

const finals: Record<string, KeyName> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  Z: 'shift-tab',
}

/**
 * Reports and mouse events end in the same letters as keys, so a sequence is read completely before it is
 * interpreted.
 */
const sequence = /^\u001b(?:\[<[\d;]+[Mm]|\[[0-?]*[ -/]*[@-~]|O[A-Z]|[P\]_^][\s\S]*?(?:\u0007|\u001b\\))/

/** Turns terminal input into keys. An incomplete sequence is kept until the next input arrives. */
export class KeyParser {
  private rest = ''

  feed(input: string): (Key | Report)[] {
    this.rest += input
    const keys: (Key | Report)[] = []
    for (let taken = this.take(); taken !== undefined; taken = this.take()) keys.push(...taken)
    return keys
  }

  /** True if the input ends in an Esc that may be a key or the start of a sequence. */
  get escapePending(): boolean {
    return this.rest === esc
  }

  flush(): (Key | Report)[] {
    const pending = this.escapePending
    if (pending) this.rest = ''
    return pending ? [{ name: 'escape' }] : []
  }

  private take(): (Key | Report)[] | undefined {
    if (this.rest === '') return undefined
    if (this.rest.startsWith(pasteStart)) return this.takePaste()
    if (!this.rest.startsWith(esc)) return [this.takePlain()]
    const found = sequence.exec(this.rest)?.[0]
    if (found) {
      this.rest = this.rest.slice(found.length)
      return keysOf(found)
    }
    if (this.rest.length === 1 || /^\u001b[[OP\]_^]/.test(this.rest)) return undefined
    this.rest = this.rest.slice(1)
    return [{ name: 'escape' }]
  }

  private takePaste(): Key[] | undefined {
    const end = this.rest.indexOf(pasteEnd)
    if (end < 0) return undefined
    const text = this.rest.slice(pasteStart.length, end).replaceAll('\r', '\n')
    this.rest = this.rest.slice(end + pasteEnd.length)
    return [{ name: 'paste', text }]
  }

  private takePlain(): Key {
    const control = controls[this.rest[0]!]
    if (control) {
      this.rest = this.rest.slice(1)
      return { name: control }
    }
    const text = /^[^\u0000-\u001f\u007f]+/.exec(this.rest)?.[0] ?? ''
    this.rest = this.rest.slice(text.length || 1)
    return { name: 'text', text }
  }
}

function keysOf(found: string): (Key | Report)[] {
  if (/^\u001b\[\?\d+u$/.test(found)) return [{ name: 'keyboard-protocol' }]
  const kitty = /^\u001b\[(\d+)(?::\d*)*(?:;(\d+)(?::\d+)?)?u$/.exec(found)
  if (kitty) return kittyKey(Number(kitty[1]), Number(kitty[2] ?? 1))
  const name = /^\u001b(?:\[|O)[\d;]*([A-Z])$/.exec(found)?.[1]
  const key = name ? finals[name] : undefined
  return key ? [{ name: key }] : []
}

function kittyKey(code: number, modifiers: number): Key[] {
  const shift = ((modifiers - 1) & 1) !== 0
  const control = ((modifiers - 1) & 4) !== 0
  if (code === 27) return [{ name: 'escape' }]
  if (code === 13) return [{ name: shift ? 'newline' : 'enter' }]
  if (code === 9) return [{ name: shift ? 'shift-tab' : 'tab' }]
  if (code === 127) return [{ name: 'backspace' }]
  const character = String.fromCodePoint(code)
  if (!control) return [{ name: 'text', text: character }]
  const name = controls[String.fromCharCode(code & 0x1f)]
  return name ? [{ name }] : []
}
