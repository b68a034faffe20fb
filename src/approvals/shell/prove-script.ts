import { unknownText } from '../glob.ts'
import { literalWord, type ShellCommand, type ShellWord, setOf } from './shell-command.ts'

/**
 * Reads a script if it consists of simple commands in a syntax that bash and zsh read alike, whatever their options
 * are. Everything else is a doubt. Knows nothing about programs.
 */
export type Proof = { commands: ShellCommand[] } | { doubt: string }

class Doubt extends Error {}

export function proveScript(source: string): Proof {
  try {
    return { commands: new ScriptReader(source).read() }
  } catch (error) {
    if (error instanceof Doubt) return { doubt: error.message }
    throw error
  }
}

/** Control characters, unusual spaces and invisible marks. They make a command look different from what it runs. */
export const deceptive = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|(?! )\p{Z}|\p{Cf}|\p{Co}|\p{Cs}/u

/** Words that one of the shells gives a meaning to where a program is expected. */
const reservedWords = setOf(`
  ! [[ ]] { } - always case coproc do done elif else end esac fi for foreach function if in nocorrect repeat select
  then time until while`)

const plainCharacters = /(?:[\w./:,@%+=-]|[^\p{ASCII}])+/uy
const braces = /\{[\w./-]*(?:,[\w./-]*)+\}/y
const reference = /(?<=@)\{[\w-]+\}/y
const operator = /&&|\|\||;(?![;&|])|\|(?![|&])|&(?=\s|$)/y
const redirection = /(?:[012])?(>>?|<)(?![<>&|!(])|(&>>?)(?![>&|!(])/y
const copiedDescriptor = /[012]?>&[012](?=[\s;&|]|$)/y
const hereDocument = /<<(['"]?)([A-Za-z_]\w*)\1(?=[\s;&|]|$)/y
const quotedHereDocument = /"\$\(cat <<'([A-Za-z_]\w*)'\n((?:(?!\1\n)[^\n]*\n)*)\1\n[ \t]*\)"/y
/** Text in double quotes up to something that the shell reads. */
const quotedText = /[^"\\$`!]+|\\[^!]|\$(?=["|) /])/y
/** A variable by its plain name, up to something that ends it: zsh reads more into `$x[` and `$x:`. */
const variable = /\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|\?)(?=["\s/.,;&|]|$)/y
const singleQuoted = /'([^']*)'(?!')/y

interface Pending {
  command: ShellCommand
  delimiter: string
  isQuoted: boolean
}

class ScriptReader {
  readonly #source: string
  #at = 0
  #start = 0
  #command = emptyCommand()
  #separator = ''
  readonly #commands: ShellCommand[] = []
  #hereDocuments: Pending[] = []

  constructor(source: string) {
    if (deceptive.test(source)) throw new Doubt('it contains invisible characters')
    this.#source = source
  }

  read(): ShellCommand[] {
    while (this.#at < this.#source.length) {
      const start = this.#at
      this.#readToken()
      if (this.#at === start) throw new Doubt('the shell syntax could not be read')
    }
    if (this.#hereDocuments.length > 0) throw new Doubt('a here-document does not end')
    const ended = !isEmpty(this.#command)
    this.#finish('')
    if (joins(this.#separator) && !ended) throw new Doubt('a command is missing')
    if (this.#commands.length === 0) throw new Doubt('the command is empty')
    return this.#commands
  }

  /** Moves past the pattern if the text continues with it. */
  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source)
    if (found) this.#at += found[0].length
    return found
  }

  #readToken(): void {
    if (this.#take(/(?:[ \t]|\\\n)+/y)) return
    if (this.#take(/#[^\n]*/y)) return
    if (this.#take(/\n/y)) return void this.#endLine()
    if (this.#take(copiedDescriptor)) return
    const document = this.#take(hereDocument)
    if (document) {
      const [, quote, delimiter] = document
      this.#hereDocuments.push({ command: this.#command, delimiter: delimiter!, isQuoted: quote !== '' })
      return
    }
    const redirected = this.#take(redirection)
    if (redirected) return void this.#readRedirection(redirected[1] ?? redirected[2]!)
    const separator = this.#take(operator)
    if (separator) return void this.#finish(separator[0])
    this.#addWord()
  }

  #endLine(): void {
    if (!joins(this.#separator) || !isEmpty(this.#command)) this.#finish('\n')
    for (const { command, delimiter, isQuoted } of this.#hereDocuments) {
      const body = this.#take(new RegExp(`((?:[^\\n]*\\n)*?)${delimiter}(?=\\n|$)`, 'y'))?.[1]
      if (body === undefined) throw new Doubt('a here-document does not end')
      if (!isQuoted && /[$`\\]/.test(body)) throw new Doubt('the shell fills in the here-document')
      command.input = { text: body }
    }
    this.#hereDocuments = []
  }

  #finish(separator: string): void {
    const command = this.#command
    const text = this.#source.slice(this.#start, this.#at - separator.length).trim()
    this.#start = this.#at
    if (isEmpty(command)) {
      if (separator.trim() !== '') throw new Doubt('a command is missing')
      return
    }
    if (command.words.length === 0) throw new Doubt('there is no program to run')
    command.text = text
    this.#commands.push(command)
    this.#command = { ...emptyCommand(), input: separator === '|' ? 'unknown' : 'none' }
    this.#separator = separator
  }

  #readRedirection(kind: string): void {
    this.#take(/[ \t]*/y)
    const target = this.#readWord()
    if (target.fixed !== target.value || target.value.startsWith('~'))
      throw new Doubt('the shell completes the name of a file')
    if (/^[<>]/.test(this.#source.slice(this.#at))) throw new Doubt('zsh reads <…> as a pattern')
    if (/^\/dev\/(?:null|stdout|stderr)$/.test(target.value)) return
    if (/^\/+dev\//.test(target.value)) throw new Doubt('it opens a device or a network connection')
    if (kind === '<') {
      this.#command.reads.push(target)
      this.#command.input = 'unknown'
    } else this.#command.writes.push(target)
  }

  #addWord(): void {
    const start = this.#at
    const word = this.#readWord()
    const raw = this.#source.slice(start, this.#at)
    if (this.#command.words.length > 0) {
      if (raw === '{' || raw === '}') throw new Doubt(`shells read ${raw} differently`)
      this.#command.words.push(word)
      return
    }
    if (word.fixed !== word.value || word.value === '' || word.value.startsWith('~'))
      throw new Doubt('the shell completes the name of the program')
    if (/^[A-Za-z_]\w*=/.test(raw)) {
      if (/^\w+=.*=/s.test(raw)) throw new Doubt('shells read the value of a variable differently')
      this.#command.assignments.push(word)
      return
    }
    if (raw.includes('=')) throw new Doubt('shells read a word with = differently')
    if (reservedWords.has(word.value)) throw new Doubt(`${word.value} is a word of the shell`)
    this.#command.words.push(word)
  }

  #readWord(): ShellWord {
    const start = this.#at
    let value = ''
    let fixedLength = -1
    const expands = (text: string) => {
      if (fixedLength < 0) fixedLength = value.length
      value += text
    }
    if (this.#take(/\[(?=\s|$)|\](?=[\s;&|]|$)|\{\}(?=[\s;&|]|$)/y)) {
      return literalWord(this.#source.slice(start, this.#at))
    }
    if (this.#take(/=/y)) throw new Doubt('zsh reads a word that starts with = as a path')
    for (;;) {
      const plain = this.#take(plainCharacters) ?? this.#take(/(?<=[^\s;&|<>])[~^]/y)
      if (plain && !/[~^]/.test(plain[0])) value += plain[0]
      else if (plain) expands(plain[0])
      else if (this.#at === start && this.#take(/~(?=[/\s;&|]|$)/y)) value += '~'
      else if (this.#take(/\\\n/y)) continue
      else if (this.#take(/\\[\x20-\x7e]/y)) value += this.#source[this.#at - 1]
      else if (this.#take(/[*?]|\[[\w.^-]+\]/y)) expands(unknownText)
      else if (value !== '' && this.#take(braces)) expands(unknownText)
      else {
        const quoted = this.#readQuoted()
        if (quoted !== null) {
          for (const piece of quoted) {
            if (piece === unknownText) expands(piece)
            else value += piece
          }
          continue
        }
        if (this.#take(variable)) {
          fixedLength = 0
          value += unknownText
          continue
        }
        const referred = value === '' ? null : this.#take(reference)
        if (!referred) break
        expands(referred[0])
      }
    }
    const next = this.#source[this.#at]
    if (this.#at === start || (next !== undefined && !/[\s;&|<>]/.test(next)))
      throw new Doubt(next === undefined ? 'a word is missing' : `shells give ${next} a meaning`)
    if ((next === '<' || next === '>') && /\d$/.test(value))
      throw new Doubt('shells read a number before a redirection differently')
    return { value, fixed: fixedLength < 0 ? value : value.slice(0, fixedLength) }
  }

  /** Returns null if no quoted text follows. `unknownText` stands for the value of a variable. */
  #readQuoted(): string[] | null {
    const document = this.#take(quotedHereDocument)
    if (document) return [document[2]!.replace(/\n+$/, '')]
    const single = this.#take(singleQuoted)
    if (single) return [single[1]!]
    if (!this.#take(/"/y)) return null
    const pieces: string[] = []
    while (!this.#take(/"/y)) {
      const text = this.#take(quotedText)?.[0]
      if (text !== undefined) pieces.push(text.replace(/^\\\n/, '').replace(/^\\(["\\$`])/, '$1'))
      else if (this.#take(variable)) pieces.push(unknownText)
      else throw new Doubt('the shell completes a text in double quotes')
    }
    return pieces
  }
}

/** True for an operator that needs a command after it, perhaps on the next line. */
function joins(separator: string): boolean {
  return separator === '&&' || separator === '||' || separator === '|'
}

function isEmpty({ words, assignments, reads, writes }: ShellCommand): boolean {
  return words.length + assignments.length + reads.length + writes.length === 0
}

function emptyCommand(): ShellCommand {
  return { text: '', assignments: [], words: [], reads: [], writes: [], input: 'none', mayRepeat: false }
}
