import type { Assignment, CommandExpansionPart, Word, WordPart } from 'unbash'
import { unknownText, unknownWord } from '../glob.ts'
import { type ShellWord, wordOf } from './parts.ts'

/** Variables that the script itself sets to a known value. */
export type Variables = ReadonlyMap<string, string>

/** A limit, because `b=$a$a; c=$b$b; …` doubles the text at every step. */
const maxGrowth = 4096
const plainEscapes = /^(?:[^\\]|\\[nt\\'"])*$/

/** zsh expands `$=x`, `$~x`, `$^x` and `$+x`; to bash and to the parser they are plain text. */
const zshExpansion = /(?<!\\)(?:\\\\)*\$[=~^+]/

/** A quoted, expanded or literal section of a word. */
interface Piece {
  value: string
  resolved?: string
  possible?: string
  doubt?: string
}

export function readWord(node: Word, variables: Variables): ShellWord {
  const pieces = node.parts?.flatMap(part => readPart(part, variables, false)) ?? [literal(node)]
  const value = pieces.map(piece => piece.value).join('')
  const filledIn = pieces.map(piece => piece.resolved ?? piece.value).join('')
  const resolved = filledIn.length > value.length + maxGrowth ? value : filledIn
  const hasBraces = node.parts?.some(part => part.type === 'BraceExpansion')
  return {
    value,
    resolved: (hasBraces ? expandBraces(resolved) : resolved).slice(node.text.startsWith('=') ? 1 : 0),
    possible: pieces.map(piece => piece.possible ?? piece.value).join(''),
    pathsOnly: isPathGlob(node),
    doubt: pieces.find(piece => piece.doubt)?.doubt ?? doubtAbout(node.text),
  }
}

/** Claude may run zsh, which reads some words differently from bash. */
function doubtAbout(text: string): string | null {
  if (/\$\{?\w+\}?\[/.test(text)) return 'zsh would take one element of the value'
  if (/^=./.test(text)) return 'zsh reads a word that starts with = as a path'
  return /^~[^/]/.test(text) ? 'the directory that ~ stands for is not known' : null
}

function literal({ text, value }: { text: string; value: string }): Piece {
  return { value: zshExpansion.test(text) ? unknownText : value }
}

function readPart(part: WordPart, variables: Variables, quoted: boolean): Piece[] {
  switch (part.type) {
    case 'Literal':
      return [literal(part)]
    case 'SingleQuoted':
      return [{ value: part.value }]
    case 'AnsiCQuoted': {
      const plain = plainEscapes.test(part.text.slice(2, -1))
      return [{ value: part.value, doubt: plain ? undefined : "shells read the escapes in $'…' differently" }]
    }
    case 'DoubleQuoted':
      return part.parts.flatMap(child => readPart(child, variables, true))
    case 'LocaleString':
      return [
        { value: '', doubt: 'the shell translates $"…"' },
        ...part.parts.flatMap(child => readPart(child, variables, true)),
      ]
    case 'SimpleExpansion': {
      const name = part.text.slice(1)
      const possible = possibleValue(name, variables, quoted)
      return [{ value: unknownText, resolved: variables.get(name), possible }]
    }
    case 'ParameterExpansion': {
      const plain = !part.prefix && !part.index && !part.operation
      const doubt = plain ? undefined : `the shell computes the value of ${part.text}`
      const possible = plain ? possibleValue(part.parameter, variables, quoted) : undefined
      return [{ value: unknownText, resolved: variables.get(part.parameter), possible, doubt }]
    }
    case 'CommandExpansion': {
      const text = quoted ? quotedHereDocument(part) : null
      return [text === null ? { value: unknownText, possible: oneWordIf(quoted) } : { value: text }]
    }
    case 'BraceExpansion':
      return [{ value: unknownText, resolved: part.text }]
    case 'Glob':
    case 'ProcessSubstitution':
      return [{ value: unknownText }]
    default:
      return [{ value: unknownText, doubt: `the shell evaluates ${part.text}` }]
  }
}

/** A quoted value stays one word. */
function oneWordIf(quoted: boolean): string | undefined {
  return quoted ? unknownWord : undefined
}

/** These hold paths unless the script sets them itself. */
const pathVariables = new Set(['HOME', 'OLDPWD', 'PWD', 'TMPDIR'])

function possibleValue(name: string, variables: Variables, quoted: boolean): string | undefined {
  if (pathVariables.has(name) && !variables.has(name)) return `/${unknownWord}`
  return name === '@' ? undefined : oneWordIf(quoted)
}

function isPathGlob(node: Word): boolean {
  const [first, ...rest] = node.parts ?? []
  if (first?.type !== 'Literal' || !first.value.includes('/') || first.value.startsWith('-')) return false
  return rest.every(part => part.type === 'Glob' || part.type === 'Literal')
}

/** Returns the text of `"$(cat <<'EOF' … EOF)"`, a common way to write long commit messages, or null. */
export function quotedHereDocument(part: CommandExpansionPart): string | null {
  const script = part.script
  const only = script?.commands[0]?.command
  if (!script || script.errors?.length || script.commands.length !== 1 || only?.type !== 'Command')
    return null
  const [document] = only.suffix
  if (only.name?.value !== 'cat' || only.prefix.length !== 0 || only.suffix.length !== 1) return null
  if (document?.type !== 'HereDoc' || !document.delimiter?.quoted || !document.closing) return null
  return /^(['"])\w+\1$/.test(document.delimiter.text) ? document.body.text.replace(/\n+$/, '') : null
}

/** Reads `NAME=value` as one word. */
export function readAssignment(node: Assignment, variables: Variables): ShellWord {
  const name = `${node.name}${node.append ? '+=' : '='}`
  if (node.value.type === 'ArrayValue' || node.index) {
    return { ...wordOf(name + unknownText), doubt: 'it sets an array' }
  }
  const value = readWord(node.value, variables)
  const doubt = node.value.text.startsWith('=') ? null : value.doubt
  return {
    value: name + value.value,
    resolved: name + value.resolved,
    possible: name + value.possible,
    pathsOnly: false,
    doubt,
  }
}

const innermostBraces = /\{([^{},]*(?:,[^{},]*)+)\}/
const maxExpansions = 64

/** Expands `g{it,x}` into `git gx`, as bash does. */
function expandBraces(text: string): string {
  let done = [text]
  for (;;) {
    const next = done.flatMap(expandOne)
    if (next.length === done.length || next.length > maxExpansions) return done.join(' ')
    done = next
  }
}

function expandOne(text: string): string[] {
  const found = innermostBraces.exec(text)
  if (!found) return [text]
  const before = text.slice(0, found.index)
  const after = text.slice(found.index + found[0].length)
  return found[1]!.split(',').map(choice => before + choice + after)
}
