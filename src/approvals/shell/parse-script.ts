import {
  type Command,
  forEachChild,
  type HereDoc,
  parse,
  type Redirection,
  type Script,
  type SyntaxNode,
  type Word,
} from 'unbash'
import { unknownText } from '../glob.ts'
import type { Part, ShellWord, SimpleCommand } from './parts.ts'
import { quotedHereDocument, readAssignment, readWord, type Variables } from './read-word.ts'

/** Facts about the place of a script that hold for every command in it; see `SimpleCommand`. */
export interface Surroundings {
  hasStdin?: boolean
  mayRepeat?: boolean
}

interface Scope extends Required<Surroundings> {
  source: string
}

const loops = new Set<SyntaxNode['type']>(['For', 'ArithmeticFor', 'While', 'Select', 'Function'])

/** Names of loop variables that no program and no shell gives a meaning to. */
const harmlessVariable = /^(?:[a-z]|file|dir|line|name|item)$/

const reasonsNotToTrust: Partial<Record<SyntaxNode['type'], string>> = {
  Function: 'a function can stand in for a command',
  Coproc: 'it starts a coprocess',
  Select: 'select waits for an answer',
  ArithmeticCommand: 'arithmetic can run commands',
  ArithmeticFor: 'arithmetic can run commands',
  ArithmeticExpansion: 'arithmetic can run commands',
}

/** Lists every simple command of a script and every file it redirects to or from, however nested. Never throws. */
export function readScript(
  source: string,
  { hasStdin = false, mayRepeat = false }: Surroundings = {},
): Part[] {
  const script = parse(source)
  const variables = knownVariables(script)
  const parts: Part[] = []
  const add = (scope: Scope, ...found: Part[]) =>
    void parts.push(...found.map(part => (scope.mayRepeat ? { ...part, mayRepeat: true } : part)))
  const descend = (node: SyntaxNode, scope: Scope) => forEachChild(node, child => visit(child, scope))

  function visit(node: SyntaxNode, scope: Scope): void {
    const text = textOf(node, scope.source)
    const reason = doubtAbout(node, text, scope.source)
    if (reason) add(scope, { kind: 'opaque', text, reason, hidesCommands: isUnread(node) })
    if (node.type === 'Command') {
      add(scope, readCommand(node, text, scope.hasStdin, variables))
      descend(node, { ...scope, hasStdin: scope.hasStdin || node.redirects.some(setsStdin) })
    } else if (node.type === 'Pipeline') {
      for (const [at, command] of node.commands.entries())
        visit(command, { ...scope, hasStdin: scope.hasStdin || at > 0 })
    } else if (node.type === 'DoubleQuoted') {
      for (const child of node.parts) if (!isPlainText(child)) visit(child, scope)
    } else {
      if (isRedirection(node)) add(scope, ...readRedirection(node, text, variables))
      descend(node, scopeInside(node, scope))
    }
  }

  visit(script, { source, hasStdin, mayRepeat })
  return parts
}

function scopeInside(node: SyntaxNode, scope: Scope): Scope {
  if (node.type === 'Script') return { ...scope, source: node.source ?? scope.source }
  if (node.type === 'Redirected')
    return { ...scope, hasStdin: scope.hasStdin || node.redirects.some(setsStdin) }
  return loops.has(node.type) ? { ...scope, mayRepeat: true } : scope
}

function isPlainText(node: SyntaxNode): boolean {
  return node.type === 'CommandExpansion' && quotedHereDocument(node) !== null
}

function isRedirection(node: SyntaxNode): node is Redirection {
  return node.type === 'Redirect' || node.type === 'HereString' || node.type === 'HereDoc'
}

function textOf(node: SyntaxNode, source: string): string {
  return node.type === 'Script' ? (node.source ?? source) : source.slice(node.pos, node.end)
}

/** True if the tree does not contain everything below this node. */
function isUnread(node: SyntaxNode): boolean {
  return node.type === 'Script' || ('script' in node && !node.script)
}

function doubtAbout(node: SyntaxNode, text: string, source: string): string | null {
  switch (node.type) {
    case 'Script':
      if (node.errors?.length) return `the shell syntax could not be read: ${node.errors[0]?.message}`
      return hasUnparsedText(node, node.source ?? source) ? 'the shell syntax could not be read' : null
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      return node.script ? null : 'the commands are nested too deeply'
    case 'For':
      return harmlessVariable.test(node.name.value) ? null : `it sets the variable ${node.name.value}`
    case 'TestCommand':
      return /[$`]|\s-(?:eq|ne|lt|gt|le|ge|v|R)\s/.test(text)
        ? 'the shell evaluates the operands of [[ ]]'
        : null
    default:
      return reasonsNotToTrust[node.type] ?? null
  }
}

function readCommand(node: Command, text: string, hasStdin: boolean, variables: Variables): SimpleCommand {
  const words = node.name ? [readWord(node.name, variables)] : []
  for (const argument of node.args) {
    words.push(argument.type === 'Word' ? readWord(argument, variables) : readAssignment(argument, variables))
  }
  const assignments = node.prefix.filter(item => item.type === 'Assignment')
  return {
    kind: 'command',
    text,
    assignments: assignments.map(item => readAssignment(item, variables)),
    words,
    hasStdin: hasStdin || node.redirects.some(setsStdin),
    concerns: [],
  }
}

function knownVariables(script: SyntaxNode): Variables {
  const variables = new Map<string, string>()
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Assignment' && node.value.type === 'Word') {
      variables.set(node.name, readWord(node.value, variables).resolved)
    }
    forEachChild(node, visit)
  }
  visit(script)
  return variables
}

const harmlessFile = /^\/dev\/(?:null|stdin|stdout|stderr|fd\/\d+)$/
const descriptor = /^(?:\d+-?|-)$/
const plainDelimiter = /^(?:\w+|'\w+'|"\w+"|\\\w+)$/

/** Returns the files a redirection opens, and an opaque part for anything that is not certain. */
function readRedirection(node: Redirection, text: string, variables: Variables): Part[] {
  const files = filesOpenedBy(node, text, variables)
  if (node.descriptor?.type !== 'FileDescriptorVariable') return files
  return [{ kind: 'opaque', text, reason: 'a redirection sets a variable' }, ...files]
}

/** Here-documents and copies of descriptors open no file. */
function filesOpenedBy(node: Redirection, text: string, variables: Variables): Part[] {
  const opaque = (reason: string, hidesCommands = false): Part[] => [
    { kind: 'opaque', text, reason, hidesCommands },
  ]
  if (node.type === 'HereDoc')
    return endsClearly(node) ? [] : opaque('it is not certain where the here-document ends', true)
  if (!node.target) return opaque('a redirection names no file', true)
  if (node.type === 'HereString') return []

  const target = readWord(node.target, variables)
  const copies = node.operator === '>&' || node.operator === '<&'
  if (copies && descriptor.test(target.value)) return []
  if (harmlessFile.test(target.value)) return []
  if (node.operator === '<&') return opaque('it is not certain which file descriptor is meant')
  if (node.operator !== '<') return [{ kind: 'write', text, target: withClobberDoubt(node.target, target) }]
  if (target.value.startsWith('/dev/')) return opaque('it opens a device or a network connection')
  return [{ kind: 'read', text, target }]
}

/** zsh reads the `!` of `>! file` as part of the operator and the next word as the file. */
function withClobberDoubt({ text }: Word, target: ShellWord): ShellWord {
  return text.startsWith('!')
    ? { ...target, doubt: 'zsh would write to the file named by the next word' }
    : target
}

function setsStdin(node: Redirection): boolean {
  return node.type !== 'Redirect' || node.operator === '<' || node.operator === '<>' || node.operator === '<&'
}

function endsClearly(node: HereDoc): boolean {
  return node.closing !== undefined && plainDelimiter.test(node.delimiter?.text ?? unknownText)
}

/** Nodes whose whole text counts as understood here; other code looks inside them. */
const wholeNodes = new Set<SyntaxNode['type']>([
  'Word',
  'Assignment',
  'Redirect',
  'HereString',
  'HereDoc',
  'TestCommand',
  'ArithmeticCommand',
  'ArithmeticFor',
  'Function',
  'Coproc',
])
const keywords = /\b(?:if|then|elif|else|fi|for|in|do|done|while|until|case|esac|select|time|p)\b/g

/**
 * The parser may skip characters it does not understand without reporting an error. So the text that did not become
 * part of the tree is checked: only separators and keywords may be left.
 */
function hasUnparsedText(script: Script, source: string): boolean {
  const understood: Range[] = []
  let subshells = 0
  let cases = 0
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Subshell') subshells++
    if (node.type === 'CaseItem') cases++
    if (wholeNodes.has(node.type)) understood.push(...rangesOf(node))
    else forEachChild(node, visit)
  }
  forEachChild(script, visit)

  const left = textOutside(understood, script, source)
    .replace(/#[^\n]*|\\\n/g, '')
    .replace(keywords, '')
  const opened = left.split('(').length - 1
  const closed = left.split(')').length - 1
  const balanced = opened >= subshells && opened <= closed && closed === subshells + cases
  return !balanced || !/^[\s;&|(){}!-]*$/.test(left)
}

interface Range {
  pos: number
  end: number
}

function rangesOf(node: SyntaxNode): Range[] {
  if (node.type !== 'HereDoc') return [node]
  return [node, node.body, ...(node.closing ? [node.closing] : [])]
}

function textOutside(ranges: readonly Range[], whole: Range, source: string): string {
  const pieces: string[] = []
  let at = whole.pos
  for (const range of ranges.toSorted((one, other) => one.pos - other.pos)) {
    if (range.pos > at) pieces.push(source.slice(at, range.pos))
    at = Math.max(at, range.end)
  }
  return [...pieces, source.slice(at, whole.end)].join(' ')
}
