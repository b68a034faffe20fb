import type { Assignment, CommandExpansionPart, Word, WordPart } from 'unbash'
import { unknownText, unknownWord } from '../glob.ts'
import { expandBraces } from './braces.ts'
import { type ShellWord, word } from './part.ts'

/** Variables that the script itself sets to something known. */
export type Variables = ReadonlyMap<string, string>

/** `b=$a$a; c=$b$b; …` doubles at every step. */
const maxGrowth = 4096
const plainEscapes = /^(?:[^\\]|\\[nt\\'"])*$/

/** `$=x`, `$~x`, `$^x` and `$+x` are plain text to bash. */
const zshExpansion = /(?<!\\)(?:\\\\)*\$[=~^+]/

/** A stretch of a word. */
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

/** Claude may run zsh as well, which reads some words in ways of its own. */
function doubtAbout(text: string): string | null {
  if (/\$\{?\w+\}?\[/.test(text)) return 'zsh would take one element'
  if (/^=./.test(text)) return 'a word that starts with = is a path in zsh'
  return /^~[^/]/.test(text) ? 'what ~ stands for is not known' : null
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
      return [{ value: part.value, doubt: plain ? undefined : "escapes in $'…' differ between shells" }]
    }
    case 'DoubleQuoted':
      return part.parts.flatMap(child => readPart(child, variables, true))
    case 'LocaleString':
      return [
        { value: '', doubt: '$"…" is translated' },
        ...part.parts.flatMap(child => readPart(child, variables, true)),
      ]
    case 'SimpleExpansion': {
      const name = part.text.slice(1)
      const possible = possibleValue(name, variables, quoted)
      return [{ value: unknownText, resolved: variables.get(name), possible }]
    }
    case 'ParameterExpansion': {
      const plain = !part.prefix && !part.index && !part.operation
      const doubt = plain ? undefined : `${part.text} computes its value`
      const possible = plain ? possibleValue(part.parameter, variables, quoted) : undefined
      return [{ value: unknownText, resolved: variables.get(part.parameter), possible, doubt }]
    }
    case 'CommandExpansion': {
      const text = quoted ? quotedHereDocument(part) : null
      return [text === null ? { value: unknownText, possible: oneWord(quoted) } : { value: text }]
    }
    case 'BraceExpansion':
      return [{ value: unknownText, resolved: part.text }]
    case 'Glob':
    case 'ProcessSubstitution':
      return [{ value: unknownText }]
    default:
      return [{ value: unknownText, doubt: `${part.text} is evaluated by the shell` }]
  }
}

function oneWord(quoted: boolean): string | undefined {
  return quoted ? unknownWord : undefined
}

/** Paths, unless the script sets them itself. */
const pathVariables = new Set(['HOME', 'OLDPWD', 'PWD', 'TMPDIR'])

function possibleValue(name: string, variables: Variables, quoted: boolean): string | undefined {
  if (pathVariables.has(name) && !variables.has(name)) return `/${unknownWord}`
  return name === '@' ? undefined : oneWord(quoted)
}

function isPathGlob(node: Word): boolean {
  const [first, ...rest] = node.parts ?? []
  if (first?.type !== 'Literal' || !first.value.includes('/') || first.value.startsWith('-')) return false
  return rest.every(part => part.type === 'Glob' || part.type === 'Literal')
}

/** `"$(cat <<'EOF' … EOF)"`, the usual way to write a long commit message, is nothing but its text. */
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

/** `NAME=value` as a word of its own. */
export function readAssignment(node: Assignment, variables: Variables): ShellWord {
  const name = `${node.name}${node.append ? '+=' : '='}`
  if (node.value.type === 'ArrayValue' || node.index) {
    return { ...word(name + unknownText), doubt: 'an array is set' }
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
