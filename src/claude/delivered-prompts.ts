import { isObject } from '../io/json.ts'
import { parsed, textIn, transcriptLines } from './transcript.ts'
import { asReported } from './typed-prompt.ts'

/** What a transcript says about a prompt. `absorbed`: the model got it from the queue in the middle of a turn. */
export interface DeliveredPrompt {
  what: 'queued' | 'taken' | 'absorbed' | 'taken-back'
  /** As `asReported` makes it. */
  text: string
  /** The id that another agent gave it. Null for the user's own words, and while it is queued. */
  peerId: string | null
  /** ISO 8601, or null if the line has no time. */
  at: string | null
  /** The byte after its line. */
  endByte: number
}

/** The prompts that Claude queued or took, or that the user took back from its queue, from some byte on. */
export function* deliveredPrompts(transcript: string, fromByte: number): Generator<DeliveredPrompt> {
  for (const { line, endByte } of transcriptLines(transcript, fromByte)) {
    if (!/"user"|queued_command|popAll|enqueue|local_command/.test(line)) continue
    const entry = parsed(line)
    const found = promptIn(entry)
    const at = typeof entry.timestamp === 'string' ? entry.timestamp : null
    if (found !== null) yield { ...found, text: asReported(found.text), at, endByte }
  }
}

function promptIn(entry: Record<string, unknown>): Pick<DeliveredPrompt, 'what' | 'text' | 'peerId'> | null {
  const { type, subtype, message, attachment, operation, content, isSidechain, origin } = entry
  if (type === 'user' && isSidechain !== true && isObject(message)) {
    const text = textIn(message.content)
    return { what: 'taken', text: commandIn(text) ?? text, peerId: peerIdIn(origin) }
  }
  if (type === 'system' && subtype === 'local_command') {
    const text = commandIn(String(content))
    return text === null ? null : { what: 'taken', text, peerId: null }
  }
  if (isObject(attachment) && attachment.type === 'queued_command')
    return { what: 'absorbed', text: textIn(attachment.prompt), peerId: peerIdIn(attachment.origin) }
  if (type === 'queue-operation' && operation === 'popAll')
    return { what: 'taken-back', text: String(content), peerId: null }
  if (type === 'queue-operation' && operation === 'enqueue')
    return { what: 'queued', text: String(content), peerId: null }
  return null
}

/** Claude records a command with its arguments as tags. */
function commandIn(text: string): string | null {
  const tag = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1]
  const name = tag('command-name')
  return name === undefined ? null : `${name} ${tag('command-args') ?? ''}`
}

function peerIdIn(origin: unknown): string | null {
  if (!isObject(origin) || origin.kind !== 'peer') return null
  return typeof origin.msg_id === 'string' ? origin.msg_id : ''
}
