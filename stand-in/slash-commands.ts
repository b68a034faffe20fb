import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Display } from './conversation-view.ts'
import { entriesOf, readTranscript } from './saved-conversations.ts'
import type { StatusFile } from './session-status.ts'
import type { Stage } from './stage.ts'

/** What a line that starts with a slash asks for. */
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

/** Even a command that takes no time shows as busy. */
const commandMs = 50

export interface CommandActions {
  submit(prompt: string): void
  leave(): void
}

/** What is typed: a prompt for Claude, or a command for the program. */
export class Commands {
  running = 0
  private readonly stage: Stage
  private readonly display: Display
  private readonly status: StatusFile | undefined
  private readonly actions: CommandActions

  constructor(stage: Stage, display: Display, status: StatusFile | undefined, actions: CommandActions) {
    this.stage = stage
    this.display = display
    this.status = status
    this.actions = actions
  }

  take(line: string): void {
    const command = slashCommand(line)
    if (!command) this.actions.submit(line)
    else if (command.kind === 'exit') this.exit()
    else void this.busily(() => this.run(line, command))
  }

  /** The left arrow: what the wrapper must never let happen. */
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
      return this.stage.dialogs.ask(dialog, new AbortController().signal)
    })
  }

  private exit(): void {
    this.stage.session.nextPrompt()
    this.actions.leave()
  }

  private async run(line: string, command: SlashCommand): Promise<void> {
    if (command.kind === 'clear') {
      await clearSession(this.change())
      this.display.clear()
    }
    this.display.show({ kind: 'user', text: line })
    if (command.kind === 'rename') {
      renameSession(this.change(), command.name)
      this.display.show({ kind: 'note', text: `Session renamed to: ${command.name}` })
    }
    if (command.kind === 'unknown')
      this.display.show({ kind: 'note', text: `Unknown command: /${command.word}` })
  }

  private async busily(work: () => Promise<void>): Promise<void> {
    this.running++
    this.stage.changed()
    await sleep(commandMs)
    await work()
    this.running--
    this.stage.changed()
  }

  private change() {
    return { stage: this.stage, status: this.status }
  }
}

export interface SessionChange {
  stage: Stage
  status: StatusFile | undefined
}

/** `/clear`: the old conversation ends and another one begins, with another id. */
export async function clearSession({ stage, status }: SessionChange): Promise<void> {
  const { session } = stage
  session.nextPrompt()
  await stage.fire('SessionEnd', { reason: 'clear' }, { subject: 'clear' })
  session.become(randomUUID())
  status?.session(session.sessionId)
  await stage.fire('SessionStart', { source: 'clear', ...session.titleField() }, { subject: 'clear' })
  session.transcript.user('/clear', { isMeta: true })
}

export function renameSession({ stage, status }: SessionChange, name: string): void {
  const { session } = stage
  session.nextPrompt()
  session.name = name
  session.transcript.title(name)
  status?.name(name, 'user')
}

/** The agent view: the conversation goes on under another id, out of reach of whoever started this program. */
export async function moveToBackground({ stage, status }: SessionChange): Promise<void> {
  const { session } = stage
  const lines = session.transcript.exists ? readTranscript(session.transcript.path) : []
  await stage.fire('SessionEnd', { reason: 'other' }, { subject: 'other' })
  session.become(randomUUID())
  session.transcript.continueFrom(lines, true)
  status?.session(session.sessionId)
  await stage.fire('SessionStart', { source: 'fork', ...session.titleField() }, { subject: 'fork' })
  if (entriesOf(lines).length > 0) session.transcript.user('[moved to the background]', { isMeta: true })
}
