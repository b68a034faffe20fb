import { isObject } from '../io/json.ts'
import { parsed, textIn, transcriptLines } from './transcript.ts'
import { asReported } from './typed-prompt.ts'

/** What a transcript says about a prompt. `absorbed`: the model got it from the queue in the middle of a turn. */
export interface DeliveredPrompt {
  what: 'queued' | 'taken' | 'absorbed' | 'taken-back'
  /** As `asReported` makes it. */
  text: string
  /** The byte after its line. */
  endByte: number
}

/** The prompts that Claude queued or took, or that the user took back from its queue, from some byte on. */
export function* deliveredPrompts(transcript: string, fromByte: number): Generator<DeliveredPrompt> {
  for (const { line, endByte } of transcriptLines(transcript, fromByte)) {
    if (!/"user"|queued_command|popAll|enqueue/.test(line)) continue
    const found = promptIn(parsed(line))
    if (found !== null) yield { ...found, text: asReported(found.text), endByte }
  }
}

function promptIn(entry: Record<string, unknown>): Pick<DeliveredPrompt, 'what' | 'text'> | null {
  const { type, message, attachment, operation, content, isSidechain } = entry
  if (type === 'user' && isSidechain !== true && isObject(message)) {
    const text = textIn(message.content)
    const tag = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1]
    const command = tag('command-name')
    return { what: 'taken', text: command ? `${command} ${tag('command-args') ?? ''}` : text }
  }
  if (isObject(attachment) && attachment.type === 'queued_command')
    return { what: 'absorbed', text: textIn(attachment.prompt) }
  if (type === 'queue-operation' && operation === 'popAll')
    return { what: 'taken-back', text: String(content) }
  if (type === 'queue-operation' && operation === 'enqueue') return { what: 'queued', text: String(content) }
  return null
}
