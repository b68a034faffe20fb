import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentContext } from './agent-context.ts'
import type { ConversationView } from './conversation-view.ts'
import { entriesOf, readTranscript } from './saved-conversations.ts'
import type { StatusFile } from './session-status.ts'

/** A parsed line that starts with a slash. */
export type SlashCommand =
  | { kind: 'clear' }
  | { kind: 'exit' }
  | { kind: 'rename'; name: string }
  | { kind: 'unknown'; word: string }

export function slashCommand(line: string): SlashCommand | undefined {
  const [, word, rest = ''] = /^\/([a-z][\w-]*)\s*([\s\S]*)$/i.exec(line.trim()) ?? []
  switch (word) {
    case undefined:
      return undefined
    case 'clear':
    case 'new':
    case 'reset':
      return { kind: 'clear' }
    case 'exit':
    case 'quit':
      return { kind: 'exit' }
    case 'rename':
      return { kind: 'rename', name: rest.trim() }
    default:
      return { kind: 'unknown', word }
  }
}

/** Claude is busy for a moment even during a command that needs no time. */
const commandMs = 50

export interface CommandActions {
  submit(prompt: string): void
  leave(): void
}

/** Handles submitted lines: prompts go to Claude, slash commands are run here. */
export class Commands {
  running = 0
  private readonly context: AgentContext
  private readonly view: ConversationView
  private readonly status: StatusFile | undefined
  private readonly actions: CommandActions

  constructor(
    context: AgentContext,
    view: ConversationView,
    status: StatusFile | undefined,
    actions: CommandActions,
  ) {
    this.context = context
    this.view = view
    this.status = status
    this.actions = actions
  }

  take(line: string): void {
    const command = slashCommand(line)
    if (!command) this.actions.submit(line)
    else if (command.kind === 'exit') this.exit()
    else void this.busily(() => this.run(line, command))
  }

  /**
   * Runs on the left arrow in an empty prompt box. A wrapper must switch the agent view off to prevent this.
   */
  openAgentView(): void {
    void this.busily(() => moveToBackground(this.change())).then(() => {
      const dialog = {
        title: 'Your conversation moved to the background',
        body: [],
        choices: [{ label: 'Return to it', value: true }],
        hint: 'enter opens it · ctrl+c twice quits',
        numbered: false,
        waitingFor: 'dialog open' as const,
      }
      return this.context.dialogs.ask(dialog, new AbortController().signal)
    })
  }

  private exit(): void {
    this.context.session.nextPrompt()
    this.actions.leave()
  }

  private async run(line: string, command: SlashCommand): Promise<void> {
    if (command.kind === 'clear') {
      await clearSession(this.change())
      this.view.clear()
    }
    this.view.show({ kind: 'user', text: line })
    if (command.kind === 'rename') {
      renameSession(this.change(), command.name)
      this.view.show({ kind: 'note', text: `Session renamed to: ${command.name}` })
    }
    if (command.kind === 'unknown')
      this.view.show({ kind: 'note', text: `Unknown command: /${command.word}` })
  }

  private async busily(work: () => Promise<void>): Promise<void> {
    this.running++
    this.context.changed()
    await sleep(commandMs)
    await work()
    this.running--
    this.context.changed()
  }

  private change() {
    return { context: this.context, status: this.status }
  }
}

export interface SessionChange {
  context: AgentContext
  status: StatusFile | undefined
}

/** Ends the conversation and starts another one with a new id. */
export async function clearSession({ context, status }: SessionChange): Promise<void> {
  const { session } = context
  session.nextPrompt()
  await context.fire('SessionEnd', { reason: 'clear' }, { subject: 'clear' })
  session.become(randomUUID())
  status?.session(session.sessionId)
  await context.fire('SessionStart', { source: 'clear', ...session.titleField() }, { subject: 'clear' })
  session.transcript.user('/clear', { isMeta: true })
}

export function renameSession({ context, status }: SessionChange, name: string): void {
  const { session } = context
  session.nextPrompt()
  session.name = name
  session.transcript.title(name)
  status?.name(name, 'user')
}

/** Continues the conversation under a new id, where the program that started this one cannot follow it. */
export async function moveToBackground({ context, status }: SessionChange): Promise<void> {
  const { session } = context
  const lines = session.transcript.exists ? readTranscript(session.transcript.path) : []
  await context.fire('SessionEnd', { reason: 'other' }, { subject: 'other' })
  session.become(randomUUID())
  session.transcript.continueFrom(lines, true)
  status?.session(session.sessionId)
  await context.fire('SessionStart', { source: 'fork', ...session.titleField() }, { subject: 'fork' })
  if (entriesOf(lines).length > 0) session.transcript.user('[moved to the background]', { isMeta: true })
}
