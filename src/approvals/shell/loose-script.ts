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
import { unknownText } from '../glob.ts'
import { literalWord, type ShellCommand, type ShellWord } from './shell-command.ts'

/** What a script may run, as far as a parser for bash can tell. */
export interface LooseScript {
  commands: ShellCommand[]
  /** Why the list of commands may be incomplete; null if nothing suggests it. */
  doubt: string | null
}

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
  const commands: ShellCommand[] = []
  let doubt: string | null = null

  function visit(node: SyntaxNode, scope: Scope): void {
    if (node.type === 'Script' && node.errors?.length)
      doubt ??= `the shell syntax could not be read: ${node.errors[0]?.message}`
    if (node.type === 'HereDoc' && !node.closing) doubt ??= 'a here-document does not end'
    if ('script' in node && !node.script) doubt ??= 'the commands are nested too deeply'
    if (node.type === 'Command') commands.push(readCommand(node, scope))
    else if (node.type === 'Redirected' || node.type === 'Coproc')
      commands.push(readRedirections('redirects' in node ? node.redirects : [], node, scope))
    if (node.type === 'Pipeline')
      for (const [at, command] of node.commands.entries())
        visit(command, { ...scope, hasPipe: scope.hasPipe || at > 0 })
    else forEachChild(node, child => visit(child, scopeInside(node, scope)))
  }

  visit(parse(source), { source, hasPipe: false, mayRepeat: false })
  return { commands, doubt }
}

function scopeInside(node: SyntaxNode, scope: Scope): Scope {
  if (node.type === 'Script') return { ...scope, source: node.source ?? scope.source }
  if (node.type === 'Redirected')
    return { ...scope, hasPipe: scope.hasPipe || node.redirects.some(setsStdin) }
  if (node.type === 'ProcessSubstitution') return { ...scope, hasPipe: true }
  return loops.has(node.type) ? { ...scope, mayRepeat: true } : scope
}

function setsStdin(node: Redirection): boolean {
  return node.type !== 'Redirect' || /^(?:<|<>|<&)$/.test(node.operator)
}

function readCommand(node: Command, scope: Scope): ShellCommand {
  const words = node.name ? [readWord(node.name)] : []
  for (const argument of node.args)
    words.push(argument.type === 'Word' ? readWord(argument) : readAssignment(argument))
  const assignments = node.prefix.filter(item => item.type === 'Assignment')
  return {
    ...readRedirections(node.redirects, node, scope),
    words,
    assignments: assignments.map(readAssignment),
  }
}

const harmlessFile = /^\/dev\/(?:null|stdin|stdout|stderr)$/

/** A command without words, which only has redirections. */
function readRedirections(
  redirects: readonly Redirection[],
  node: Range,
  { source, hasPipe, mayRepeat }: Scope,
): ShellCommand {
  const files = redirects.flatMap(redirect => {
    if (redirect.type !== 'Redirect') return []
    if (!redirect.target) return [{ operator: '>', word: unknown() }]
    const word = readWord(redirect.target)
    const isCopy = /^[<>]&$/.test(redirect.operator) && /^(?:\d+-?|-)$/.test(word.value)
    if (isCopy || harmlessFile.test(word.value)) return []
    const isForZsh = /^[!=]/.test(redirect.target.text)
    return [{ operator: redirect.operator, word: isForZsh ? unknown() : word }]
  })
  const texts = redirects.flatMap(redirect => {
    if (redirect.type === 'HereDoc') return [redirect.body.text ?? '']
    return redirect.type === 'HereString' && redirect.target ? [readWord(redirect.target).value] : []
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
  }
}

function unknown(): ShellWord {
  return { ...literalWord(unknownText), fixed: '' }
}

function readWord(node: Word): ShellWord {
  const value = node.parts?.map(readPart).join('') ?? node.value
  return { value, fixed: value.split(unknownText, 1)[0]! }
}

function readPart(part: WordPart): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.map(readPart).join('')
    default:
      return /^\$(?:HOME|\{HOME\})$/.test(part.text) ? '~' : unknownText
  }
}

/** Reads `NAME=value` as one word. */
function readAssignment(node: Assignment): ShellWord {
  const name = `${node.name}${node.append ? '+=' : '='}`
  if (node.value.type === 'ArrayValue' || node.index)
    return { ...literalWord(name + unknownText), fixed: name }
  const { value, fixed } = readWord(node.value)
  return { value: name + value, fixed: name + fixed }
}
