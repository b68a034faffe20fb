import {
  type Assignment,
  type Command,
  forEachChild,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash'
import { unknownText, unknownWord } from '../glob.ts'
import { literalWord, type ShellCommand, type ShellWord } from './shell-command.ts'

export interface LooseCommand extends ShellCommand {
  /** Its words contain only quotes, variables and substitutions, so a shell passes them to the program. */
  hasPlainWords: boolean
}

/** What a script may run, as far as a parser for bash can tell. */
export interface LooseScript {
  commands: LooseCommand[]
  /** The script without the commands that `isInert` accepts. */
  textWithout(isInert: (command: LooseCommand) => boolean): string
  /** Why the list of commands may be incomplete; null if nothing suggests it. */
  doubt: string | null
}

/** Variables that the script itself sets to a known value. */
type Variables = ReadonlyMap<string, string>

interface Scope {
  source: string
  hasPipe: boolean
  mayRepeat: boolean
}

interface Range {
  pos: number
  end: number
}

const loops = new Set<SyntaxNode['type']>(['For', 'ArithmeticFor', 'While', 'Select', 'Function'])

/** Lists every simple command of a script, however nested. It errs on the side of finding too many. Never throws. */
export function readLoosely(source: string): LooseScript {
  const script = parse(source)
  const variables = knownVariables(script)
  const commands: LooseCommand[] = []
  const ranges = new Map<LooseCommand, Range[]>()
  let doubt: string | null = null

  function visit(node: SyntaxNode, scope: Scope): void {
    if (node.type === 'Script' && node.errors?.length)
      doubt ??= `the shell syntax could not be read: ${node.errors[0]?.message}`
    if (node.type === 'HereDoc' && !node.closing) doubt ??= 'a here-document does not end'
    if ('script' in node && !node.script) doubt ??= 'the commands are nested too deeply'
    if (node.type === 'Command') {
      const command = readCommand(node, scope, variables)
      commands.push(command)
      if (scope.source === source) ranges.set(command, [node, ...node.redirects.flatMap(bodyOf)])
    } else if (node.type === 'Redirected' || node.type === 'Coproc') {
      commands.push(readRedirections('redirects' in node ? node.redirects : [], node, scope, variables))
    }
    if (node.type === 'Pipeline')
      for (const [at, command] of node.commands.entries())
        visit(command, { ...scope, hasPipe: scope.hasPipe || at > 0 })
    else forEachChild(node, child => visit(child, scopeInside(node, scope)))
  }

  visit(script, { source, hasPipe: false, mayRepeat: false })
  const textWithout = (isInert: (command: LooseCommand) => boolean) =>
    textOutside(
      [...ranges].flatMap(([command, own]) => (isInert(command) ? own : [])),
      source,
    )
  return { commands, textWithout, doubt }
}

function scopeInside(node: SyntaxNode, scope: Scope): Scope {
  if (node.type === 'Script') return { ...scope, source: node.source ?? scope.source }
  if (node.type === 'Redirected')
    return { ...scope, hasPipe: scope.hasPipe || node.redirects.some(setsStdin) }
  return loops.has(node.type) ? { ...scope, mayRepeat: true } : scope
}

function bodyOf(node: Redirection): Range[] {
  return node.type === 'HereDoc' ? [node.body] : []
}

function setsStdin(node: Redirection): boolean {
  return node.type !== 'Redirect' || /^(?:<|<>|<&)$/.test(node.operator)
}

function textOutside(ranges: readonly Range[], source: string): string {
  const pieces: string[] = []
  let at = 0
  for (const range of ranges.toSorted((one, other) => one.pos - other.pos)) {
    if (range.pos > at) pieces.push(source.slice(at, range.pos))
    at = Math.max(at, range.end)
  }
  return [...pieces, source.slice(at)].join(' ')
}

function readCommand(node: Command, scope: Scope, variables: Variables): LooseCommand {
  const words = node.name ? [readWord(node.name, variables)] : []
  for (const argument of node.args)
    words.push(argument.type === 'Word' ? readWord(argument, variables) : readAssignment(argument, variables))
  const assignments = node.prefix.filter(item => item.type === 'Assignment')
  const all = [...(node.name ? [node.name] : []), ...node.args]
  return {
    ...readRedirections(node.redirects, node, scope, variables),
    words,
    assignments: assignments.map(item => readAssignment(item, variables)),
    hasPlainWords: assignments.length === 0 && all.every(item => item.type === 'Word' && isPlainWord(item)),
  }
}

const harmlessFile = /^\/dev\/(?:null|stdin|stdout|stderr)$/

/** A command without words, which only has redirections. */
function readRedirections(
  redirects: readonly Redirection[],
  node: Range,
  { source, hasPipe, mayRepeat }: Scope,
  variables: Variables,
): LooseCommand {
  const files = redirects.flatMap(redirect => {
    if (redirect.type !== 'Redirect') return []
    if (!redirect.target) return [{ operator: '>', word: unknown() }]
    const word = readWord(redirect.target, variables)
    const isCopy = /^[<>]&$/.test(redirect.operator) && /^(?:\d+-?|-)$/.test(word.value)
    if (isCopy || harmlessFile.test(word.value)) return []
    const isForZsh = redirect.target.text.startsWith('!')
    return [{ operator: redirect.operator, word: isForZsh ? unknown() : word }]
  })
  const texts = redirects.flatMap(redirect => {
    if (redirect.type === 'HereDoc') return [redirect.body.text ?? '']
    return redirect.type === 'HereString' && redirect.target
      ? [readWord(redirect.target, variables).resolved]
      : []
  })
  const readsFile = redirects.some(redirect => redirect.type === 'Redirect' && setsStdin(redirect))
  const opened = files.filter(({ operator }) => operator === '<')
  return {
    text: source.slice(node.pos, node.end),
    words: [],
    assignments: [],
    reads: opened.map(({ word }) => word),
    writes: files.filter(file => !opened.includes(file)).map(({ word }) => word),
    input:
      texts.length > 0
        ? { text: texts.join('\n') }
        : hasPipe || (readsFile && opened.length > 0)
          ? 'unknown'
          : 'none',
    mayRepeat,
    hasPlainWords: false,
  }
}

function unknown(): ShellWord {
  return { value: unknownText, fixed: '', resolved: unknownText, possible: unknownText }
}

/** Parentheses, braces and `$=` in a word may be code for zsh although bash reads them as text. */
function isPlainWord({ text, parts = [] }: Word): boolean {
  const isPlainPart = (part: WordPart): boolean => {
    if (part.type === 'Literal') return !/[(){}]|\$[=~^+]/.test(part.text)
    if (part.type === 'DoubleQuoted')
      return part.parts.every(child => child.type === 'Literal' || isPlainPart(child))
    if (part.type === 'ParameterExpansion') return !part.prefix && !part.index && !part.operation
    return /^(?:SingleQuoted|AnsiCQuoted|SimpleExpansion|CommandExpansion|Glob)$/.test(part.type)
  }
  return (parts.length > 0 || !/[(){}]|\$[=~^+]|^=/.test(text)) && parts.every(isPlainPart)
}

function knownVariables(script: SyntaxNode): Variables {
  const variables = new Map<string, string>()
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Assignment' && node.value.type === 'Word')
      variables.set(node.name, readWord(node.value, variables).resolved)
    forEachChild(node, visit)
  }
  visit(script)
  return variables
}

/** A limit, because `b=$a$a; c=$b$b; …` doubles the text at every step. */
const maxGrowth = 4096

interface Piece {
  value: string
  resolved?: string
  possible?: string
}

function readWord(node: Word, variables: Variables): ShellWord {
  const pieces = node.parts?.flatMap(part => readPart(part, variables, false)) ?? [{ value: node.value }]
  const value = pieces.map(piece => piece.value).join('')
  const filledIn = pieces.map(piece => piece.resolved ?? piece.value).join('')
  const resolved = filledIn.length > value.length + maxGrowth ? value : filledIn
  const hasBraces = node.parts?.some(part => part.type === 'BraceExpansion')
  return {
    value,
    fixed: value.split(unknownText, 1)[0]!,
    resolved: (hasBraces ? expandBraces(resolved) : resolved).slice(node.text.startsWith('=') ? 1 : 0),
    possible: pieces.map(piece => piece.possible ?? piece.value).join(''),
  }
}

function readPart(part: WordPart, variables: Variables, isQuoted: boolean): Piece[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [{ value: part.value }]
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.flatMap(child => readPart(child, variables, true))
    case 'SimpleExpansion':
    case 'ParameterExpansion': {
      const name = part.type === 'SimpleExpansion' ? part.text.slice(1) : part.parameter
      const isPlain = part.type === 'SimpleExpansion' || !(part.prefix || part.index || part.operation)
      const possible = isPlain ? possibleValue(name, variables, isQuoted) : undefined
      return [{ value: unknownText, resolved: variables.get(name), possible }]
    }
    case 'BraceExpansion':
      return [{ value: unknownText, resolved: part.text }]
    default:
      return [{ value: unknownText, possible: isQuoted ? unknownWord : undefined }]
  }
}

/** These hold paths unless the script sets them itself. */
const pathVariables = new Set(['HOME', 'OLDPWD', 'PWD', 'TMPDIR'])

/** A quoted value stays one word. */
function possibleValue(name: string, variables: Variables, isQuoted: boolean): string | undefined {
  if (pathVariables.has(name) && !variables.has(name)) return `/${unknownWord}`
  return isQuoted && name !== '@' ? unknownWord : undefined
}

/** Reads `NAME=value` as one word. */
function readAssignment(node: Assignment, variables: Variables): ShellWord {
  const name = `${node.name}${node.append ? '+=' : '='}`
  if (node.value.type === 'ArrayValue' || node.index)
    return { ...literalWord(name + unknownText), fixed: name }
  const { value, fixed, resolved, possible } = readWord(node.value, variables)
  return { value: name + value, fixed: name + fixed, resolved: name + resolved, possible: name + possible }
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
