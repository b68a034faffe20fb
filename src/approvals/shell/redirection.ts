import type { HereDoc, Redirection, Word } from 'unbash'
import { unknownText } from '../glob.ts'
import type { Part, ShellWord } from './part.ts'
import { readWord, type Variables } from './read-word.ts'

const harmlessFile = /^\/dev\/(?:null|stdin|stdout|stderr|fd\/\d+)$/
const descriptor = /^(?:\d+-?|-)$/
const plainDelimiter = /^(?:\w+|'\w+'|"\w+"|\\\w+)$/

/** What a redirection does: the files it opens, and what cannot be told. */
export function readRedirection(node: Redirection, text: string, variables: Variables): Part[] {
  const files = filesOf(node, text, variables)
  if (node.descriptor?.type !== 'FileDescriptorVariable') return files
  return [{ kind: 'opaque', text, why: 'a redirection sets a variable' }, ...files]
}

/** None for here-documents and copies of descriptors. */
function filesOf(node: Redirection, text: string, variables: Variables): Part[] {
  const opaque = (why: string, hides = false): Part[] => [{ kind: 'opaque', text, why, hides }]
  if (node.type === 'HereDoc')
    return endsClearly(node) ? [] : opaque('where the here-document ends is not certain', true)
  if (!node.target) return opaque('a redirection without a file', true)
  if (node.type === 'HereString') return []

  const target = readWord(node.target, variables)
  const copies = node.operator === '>&' || node.operator === '<&'
  if (copies && descriptor.test(target.value)) return []
  if (harmlessFile.test(target.value)) return []
  if (node.operator === '<&') return opaque('which descriptor is meant is not certain')
  if (node.operator !== '<') return [{ kind: 'write', text, target: clobbered(node.target, target) }]
  if (target.value.startsWith('/dev/')) return opaque('a device or a network connection is opened')
  return [{ kind: 'read', text, target }]
}

/** zsh takes the `!` of `>! file` as part of the operator, and the next word as the file. */
function clobbered({ text }: Word, target: ShellWord): ShellWord {
  return text.startsWith('!') ? { ...target, doubt: 'zsh would write to the next word' } : target
}

export function takesInput(node: Redirection): boolean {
  return node.type !== 'Redirect' || node.operator === '<' || node.operator === '<>' || node.operator === '<&'
}

function endsClearly(node: HereDoc): boolean {
  return node.closing !== undefined && plainDelimiter.test(node.delimiter?.text ?? unknownText)
}
