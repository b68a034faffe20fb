import { type Command, forEachChild, parse, type Redirection, type SyntaxNode } from 'unbash'
import type { Part, SimpleCommand } from './part.ts'
import { quotedHereDocument, readAssignment, readWord, type Variables } from './read-word.ts'
import { readRedirection, takesInput } from './redirection.ts'
import { hasStrayText } from './stray.ts'

/** What the surroundings of a script say of everything in it. */
export interface Surroundings {
  fed?: boolean
  again?: boolean
}

interface Place {
  source: string
  fed: boolean
  again: boolean
}

const loops = new Set<SyntaxNode['type']>(['For', 'ArithmeticFor', 'While', 'Select', 'Function'])

/** Loop variables that no program and no shell takes anything from. */
const harmlessVariable = /^(?:[a-z]|file|dir|line|name|item)$/

const notFollowed: Partial<Record<SyntaxNode['type'], string>> = {
  Function: 'a function can stand in for a command',
  Coproc: 'a coprocess is started',
  Select: 'select waits for an answer',
  ArithmeticCommand: 'arithmetic can run commands',
  ArithmeticFor: 'arithmetic can run commands',
  ArithmeticExpansion: 'arithmetic can run commands',
}

/** Every simple command and every file a script may touch, however deeply nested. Throws nothing. */
export function readScript(source: string, { fed = false, again = false }: Surroundings = {}): Part[] {
  const script = parse(source)
  const variables = knownVariables(script)
  const parts: Part[] = []
  const add = (place: Place, ...found: Part[]) =>
    void parts.push(...found.map(part => (place.again ? { ...part, again: true } : part)))
  const descend = (node: SyntaxNode, place: Place) => forEachChild(node, child => visit(child, place))

  function visit(node: SyntaxNode, place: Place): void {
    const text = textOf(node, place.source)
    const why = doubtAbout(node, text, place.source)
    if (why) add(place, { kind: 'opaque', text, why, hides: isUnread(node) })
    if (node.type === 'Command') {
      add(place, readCommand(node, text, place.fed, variables))
      descend(node, { ...place, fed: place.fed || node.redirects.some(takesInput) })
    } else if (node.type === 'Pipeline') {
      for (const [at, command] of node.commands.entries())
        visit(command, { ...place, fed: place.fed || at > 0 })
    } else if (node.type === 'DoubleQuoted') {
      for (const child of node.parts) if (!isPlainText(child)) visit(child, place)
    } else {
      if (isRedirection(node)) add(place, ...readRedirection(node, text, variables))
      descend(node, inside(node, place))
    }
  }

  visit(script, { source, fed, again })
  return parts
}

function inside(node: SyntaxNode, place: Place): Place {
  if (node.type === 'Script') return { ...place, source: node.source ?? place.source }
  if (node.type === 'Redirected') return { ...place, fed: place.fed || node.redirects.some(takesInput) }
  return loops.has(node.type) ? { ...place, again: true } : place
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

/** Nothing below it, or not all of it, is in the tree. */
function isUnread(node: SyntaxNode): boolean {
  return node.type === 'Script' || ('script' in node && !node.script)
}

function doubtAbout(node: SyntaxNode, text: string, source: string): string | null {
  switch (node.type) {
    case 'Script':
      if (node.errors?.length) return `not a command that can be read: ${node.errors[0]?.message}`
      return hasStrayText(node, node.source ?? source) ? 'not a command that can be read' : null
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      return node.script ? null : 'nested too deeply'
    case 'For':
      return harmlessVariable.test(node.name.value) ? null : `the variable ${node.name.value} is set`
    case 'TestCommand':
      return /[$`]|\s-(?:eq|ne|lt|gt|le|ge|v|R)\s/.test(text)
        ? 'the shell evaluates what [[ ]] compares'
        : null
    default:
      return notFollowed[node.type] ?? null
  }
}

function readCommand(node: Command, text: string, fed: boolean, variables: Variables): SimpleCommand {
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
    fed: fed || node.redirects.some(takesInput),
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
