import { requestSummary } from '../approvals/request-summary.ts'
import type { ConversationEntry, EntryKind } from '../claude/conversation-entry.ts'
import { questionOf } from '../claude/plans-and-questions.ts'
import type { Style } from '../io/colour.ts'
import type { Output } from '../io/output.ts'
import { bounded, cleanText, textWidth, truncate, withoutControls, wrap } from '../io/text.ts'

type Page = Pick<Output, 'isTerminal' | 'columns' | 'paint'>
type RenderMarkdown = (text: string, page: Page) => string

const speakers: Record<ConversationEntry['by'], { name: string; style: Style }> = {
  user: { name: 'You', style: 'green' },
  claude: { name: 'Claude', style: 'blue' },
  agent: { name: 'Another agent', style: 'yellow' },
  system: { name: 'Claude Code', style: 'dim' },
}

const toolIndent = '  '
const mostToolCharacters = 300
const tab = ' '.repeat(4)

/** Entries that are shown as one line, without a speaker. */
const notes: Partial<Record<EntryKind, (text: string) => string>> = {
  error: text => `error: ${text}`,
  interruption: () => 'you have interrupted Claude',
  compaction: () => 'the conversation was compacted: Claude goes on with a summary',
  notification: text => text,
  rewind: () => 'you went back: what follows replaces the end of the conversation above',
  conversation: () => 'a new conversation',
}

/**
 * Turns entries into text, one after the other. On a terminal, Claude's Markdown is rendered and lines fit the width. The
 * texts come from anywhere, so no control character is kept.
 */
export class ConversationText {
  readonly #page: Page
  readonly #directory: string
  #renderMarkdown: RenderMarkdown | null = null
  #last: ConversationEntry | null = null

  /** `directory` is where the mission works: paths in it are shortened. */
  constructor(page: Page, directory: string) {
    this.#page = page
    this.#directory = directory
  }

  async of(entry: ConversationEntry): Promise<string> {
    const last = this.#last
    this.#last = entry
    const blank = last === null || (isToolLine(entry) && isToolLine(last)) ? '' : '\n'
    const note = notes[entry.kind]
    if (note) return blank + this.#note(entry, note(entry.text))
    const continues = last?.by === entry.by && notes[last.kind] === undefined
    const heading = continues ? '' : this.#heading(entry)
    if (isToolLine(entry)) return blank + heading + this.#toolLine(entry)
    return blank + heading + (await this.#message(entry))
  }

  #heading({ by }: ConversationEntry): string {
    const { name, style } = speakers[by]
    return `${this.#page.paint(style, `${name}:`)}\n`
  }

  #note({ kind }: ConversationEntry, text: string): string {
    return `${this.#page.paint(kind === 'error' ? 'red' : 'dim', `(${this.#oneLine(text, 2)})`)}\n`
  }

  #toolLine(entry: ConversationEntry): string {
    const tool = cleanText(entry.tool ?? 'A tool')
    const isError = entry.kind === 'tool_error'
    const words = isError
      ? `${tool} failed: ${entry.text}`
      : [tool, this.#summary(entry)].filter(Boolean).join(': ')
    const line = this.#oneLine(words, toolIndent.length)
    return `${toolIndent}${this.#page.paint(isError ? 'red' : 'dim', line)}\n`
  }

  /** One of the fields says what most tools are used for. */
  #summary({ tool, input }: ConversationEntry): string {
    const question = questionOf(input ?? {})
    if (question !== null) return question
    const { description, command } = input ?? {}
    if (typeof description === 'string' && typeof command !== 'string') return description
    return requestSummary(tool ?? '', input, this.#directory)
  }

  #oneLine(text: string, indent: number): string {
    const line = cleanText(bounded(text, 4 * mostToolCharacters)).replace(/\s+/g, ' ')
    const short = bounded(line, mostToolCharacters)
    return this.#page.isTerminal ? truncate(short, this.#page.columns - indent) : short
  }

  async #message({ by, kind, text }: ConversationEntry): Promise<string> {
    if (!this.#page.isTerminal) return `${plainLines(text).join('\n')}\n`
    if (by === 'user' || kind === 'command') return `${this.#fitted(text)}\n`
    // Loaded only here: the parser takes 30 ms.
    this.#renderMarkdown ??= (await import('../io/markdown.ts')).renderMarkdown
    return this.#renderMarkdown(text, this.#page)
  }

  #fitted(text: string): string {
    const { columns } = this.#page
    const lines = plainLines(text.replaceAll('\t', tab))
    return lines.flatMap(line => (textWidth(line) <= columns ? [line] : wrap(line, columns))).join('\n')
  }
}

function isToolLine({ kind }: ConversationEntry): boolean {
  return kind === 'tool' || kind === 'tool_error'
}

/** Tabs are kept: they are part of code. */
function plainLines(text: string): string[] {
  const clean = (line: string) => line.split('\t').map(withoutControls).join('\t').trimEnd()
  return text.replaceAll('\r\n', '\n').split('\n').map(clean)
}
