import { isObject } from '../io/json.ts'

/** One thing that was said or done in a conversation. Every field is always there. */
export interface ConversationEntry {
  /** The id of its line in the transcript. A line may hold several entries. */
  uuid: string | null
  /** ISO 8601. */
  at: string | null
  /** `agent`: another Claude, through a message. `system`: Claude Code itself. */
  by: 'user' | 'claude' | 'agent' | 'system'
  kind: EntryKind
  /** Empty for the use of a tool. */
  text: string
  /** The tool that was used, or that failed. Null if it is not known, and for other kinds. */
  tool: string | null
  /** The input of the tool that was used. */
  input: Record<string, unknown> | null
}

/**
 * `command`: a /command or !command of the user. `tool`: one use of a tool. `tool_error`: the error that it ended with.
 * `error`: a turn failed. `interruption`: the user ended the turn. `compaction`: a summary, which is the text, replaces
 * for Claude all that was said before. `notification`: a background task reports. While a conversation is followed,
 * `rewind`: the user went back, and what follows takes the place of entries before; `conversation`: another one begins.
 */
export type EntryKind =
  | 'message'
  | 'command'
  | 'tool'
  | 'tool_error'
  | 'error'
  | 'interruption'
  | 'compaction'
  | 'notification'
  | 'rewind'
  | 'conversation'

type Line = Record<string, unknown>

const mostKnownUses = 500

/** Turns lines of a transcript into entries, in the order of the conversation. */
export class EntryReader {
  /** The names of the tools that were used last, by the id of the use. Their errors come in other lines. */
  readonly #tools = new Map<string, string>()

  entriesOf(line: Line): ConversationEntry[] {
    switch (line.type) {
      case 'user':
        return this.#fromUser(line)
      case 'assistant':
        return this.#fromAssistant(line)
      case 'attachment':
        return fromQueue(line)
      case 'system':
        return line.subtype === 'local_command' ? commandsIn(line, String(line.content)) : []
      default:
        return []
    }
  }

  #fromAssistant(line: Line): ConversationEntry[] {
    const message = isObject(line.message) ? line.message : {}
    if (line.isApiErrorMessage === true)
      return said(line, { by: 'system', kind: 'error', text: textIn(message.content) })
    // Claude Code puts words into Claude's mouth where the model was not asked.
    if (message.model === '<synthetic>') return []
    return blocksIn(message.content).flatMap(block => {
      if (block.type === 'text') return said(line, { by: 'claude', text: String(block.text) })
      return typeof block.type === 'string' && block.type.endsWith('tool_use') ? [this.#use(line, block)] : []
    })
  }

  #use(line: Line, { id, name, input }: Line): ConversationEntry {
    const tool = String(name)
    this.#tools.set(String(id), tool)
    if (this.#tools.size > mostKnownUses) this.#tools.delete(this.#tools.keys().next().value!)
    return { ...entry(line, { by: 'claude', kind: 'tool' }), tool, input: isObject(input) ? input : {} }
  }

  #fromUser(line: Line): ConversationEntry[] {
    const content = isObject(line.message) ? line.message.content : undefined
    if (line.isCompactSummary === true)
      return [entry(line, { by: 'system', kind: 'compaction', text: textIn(content) })]
    const failures = blocksIn(content).filter(
      block => block.type === 'tool_result' && block.is_error === true,
    )
    return [...failures.map(block => this.#failure(line, block)), ...fromPrompt(line, content)]
  }

  #failure(line: Line, { tool_use_id, content }: Line): ConversationEntry {
    const text = textIn(content).replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, '$1')
    const tool = this.#tools.get(String(tool_use_id)) ?? null
    return { ...entry(line, { by: 'claude', kind: 'tool_error', text }), tool }
  }
}

/** A message that Claude took from its queue in the middle of a turn. */
function fromQueue(line: Line): ConversationEntry[] {
  const { attachment } = line
  if (!isObject(attachment) || attachment.type !== 'queued_command') return []
  return fromPrompt({ ...line, isMeta: attachment.isMeta, origin: attachment.origin }, attachment.prompt)
}

function fromPrompt(line: Line, content: unknown): ConversationEntry[] {
  const kind = isObject(line.origin) ? line.origin.kind : undefined
  const text = promptIn(content)
  if (kind === 'peer') return said(line, { by: 'agent', text: withoutFrame(text) })
  if (kind === 'task-notification' || text.startsWith('<task-notification>')) return notification(line, text)
  if (kind !== undefined && kind !== 'human') return said(line, { by: 'system', text })
  if (line.isMeta === true) return []
  // Only what somebody has typed or sent has a source. Claude Code writes everything else in tags of its own.
  if (typeof line.promptSource === 'string') return said(line, { by: 'user', text })
  if (/^\[Request interrupted by user[^\]]*\]$/.test(text))
    return [entry(line, { by: 'user', kind: 'interruption', text })]
  return /^<(?:command-|local-command-|bash-)/.test(text)
    ? commandsIn(line, text)
    : said(line, { by: 'user', text })
}

/** The user's own commands. Their output is left out, like that of tools. */
function commandsIn(line: Line, text: string): ConversationEntry[] {
  const inTag = (tag: string) => new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(text)?.[1]?.trim() ?? ''
  const shell = inTag('bash-input')
  const command = shell ? `!${shell}` : [inTag('command-name'), inTag('command-args')].join(' ').trim()
  return said(line, { by: 'user', kind: 'command', text: command })
}

function notification(line: Line, text: string): ConversationEntry[] {
  const summary = /<summary>([\s\S]*?)<\/summary>/.exec(text)?.[1] ?? text.replace(/<[^<>]*>/g, ' ')
  return said(line, { by: 'system', kind: 'notification', text: summary.trim() })
}

/** Claude Code tells its Claude how to take a message from another one. */
function withoutFrame(text: string): string {
  const framed =
    /^Another Claude session sent a message:\n([\s\S]*)\n\nThis came from another Claude session/.exec(text)
  return framed?.[1] ?? text
}

/** The words of a prompt. Reminders for Claude are left out, and an image is `[image]`. */
function promptIn(content: unknown): string {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : blocksIn(content)
  const texts = blocks.flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : [],
  )
  const words = texts
    .join('\n')
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')
    .trim()
  const images = blocks.filter(({ type }) => type === 'image').length
  const marks = /\[Image #\d+\]/g
  const unmarked = Math.max(0, images - (words.match(marks)?.length ?? 0))
  const shown = images > 0 ? words.replace(marks, '[image]') : words
  return [shown, ...Array<string>(unmarked).fill('[image]')].filter(Boolean).join(' ')
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  return blocksIn(content)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n')
}

function blocksIn(content: unknown): Line[] {
  return Array.isArray(content) ? content.filter(isObject) : []
}

type Said = Pick<ConversationEntry, 'by'> & Partial<Pick<ConversationEntry, 'kind' | 'text'>>

/** Nothing if there are no words. */
function said(line: Line, words: Said): ConversationEntry[] {
  return words.text?.trim() ? [entry(line, words)] : []
}

function entry(line: Line, { by, kind = 'message', text = '' }: Said): ConversationEntry {
  const own = (value: unknown) => (typeof value === 'string' ? value : null)
  return { uuid: own(line.uuid), at: own(line.timestamp), by, kind, text, tool: null, input: null }
}
