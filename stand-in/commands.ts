import { setTimeout as sleep } from 'node:timers/promises'
import type { Display } from './display.ts'
import { clearSession, moveToBackground, renameSession } from './session-changes.ts'
import { type SlashCommand, slashCommand } from './slash-commands.ts'
import type { Stage } from './stage.ts'
import type { StatusFile } from './status-file.ts'

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
