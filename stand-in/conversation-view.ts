import type { Tasks } from './background-tasks.ts'
import type { Session } from './claude-session.ts'
import type { Dialogs } from './dialogs.ts'
import { modeLabel } from './permissions.ts'
import { boxWith, type ExitKey, emptyBox, type PromptBox } from './prompt-box.ts'
import type { Screen } from './screen.ts'
import { dialogLines, type Entry, screenLines } from './screen-content.ts'

/** The objects whose state the view shows. */
export interface ViewSources {
  session: Session
  dialogs: Dialogs
  tasks: Tasks
  exitKey: ExitKey
  agentView: boolean
  /** True inside tmux, where a spinner in the title would look like activity in the window. */
  stillTitle: boolean
  isBusy(): boolean
}

const spinnerMs = 1_000

/** Draws the conversation, and redraws it whenever something in it changes. */
export class ConversationView {
  box: PromptBox = emptyBox
  private entries: Entry[]
  private readonly screen: Screen
  private readonly sources: ViewSources
  private stage: 'questions' | 'conversation' | 'off' = 'off'
  private busySince: number | undefined

  constructor(screen: Screen, sources: ViewSources, entries: Entry[]) {
    this.screen = screen
    this.sources = sources
    this.entries = entries
  }

  /** Leaves the terminal untouched until there is a dialog to show. */
  openQuestions(): void {
    this.stage = 'questions'
  }

  openConversation(): void {
    this.screen.close({ keepTitle: true })
    this.stage = 'conversation'
    this.screen.setTitle(this.title())
    this.screen.openFull()
    this.refresh()
  }

  close(options?: { keepTitle: boolean }): void {
    this.stage = 'off'
    this.screen.close(options)
  }

  show(entry: Entry): (entry: Entry) => void {
    let shown = entry
    this.entries.push(shown)
    this.refresh()
    return next => {
      const at = this.entries.indexOf(shown)
      if (at >= 0) this.entries[at] = next
      shown = next
      this.refresh()
    }
  }

  clear(): void {
    this.entries = []
  }

  /** Puts a prompt that got no answer back into the prompt box. */
  takeBack(prompt: string): void {
    const at = this.entries.findLastIndex(entry => entry.kind === 'user')
    if (at >= 0) this.entries.splice(at, 1)
    if (this.box.text === '') this.box = { ...this.box, ...boxWith(prompt) }
  }

  resized(): void {
    this.screen.resized()
    this.refresh()
  }

  refresh(): void {
    const { columns, rows } = this.screen
    const dialog = this.sources.dialogs.current
    if (this.stage === 'questions' && dialog) {
      this.screen.openInline()
      this.screen.draw(dialogLines(dialog, columns))
    }
    if (this.stage !== 'conversation') return
    const { cwd: directory, name } = this.sources.session
    const { entries, box } = this
    this.screen.setTitle(this.title())
    const parts = { activity: this.activity(), footer: this.footer() }
    this.screen.draw(screenLines({ columns, rows, directory, name, entries, dialog, box, ...parts }))
  }

  private title(): string {
    const turning = Math.floor(Date.now() / spinnerMs) % 2 === 0 ? '◐' : '◑'
    const sign = this.sources.isBusy() && !this.sources.stillTitle ? turning : '✳'
    return `${sign} ${this.sources.session.name ?? 'Claude Code'}`
  }

  private activity(): string | undefined {
    if (!this.sources.isBusy()) {
      this.busySince = undefined
      const agents = this.sources.tasks.count('subagent')
      return agents > 0 ? `Waiting for ${agents} background ${agents === 1 ? 'agent' : 'agents'}` : undefined
    }
    if (this.busySince === undefined) {
      this.busySince = Date.now()
      this.tick()
    }
    return `Working… (${Math.floor((Date.now() - this.busySince) / 1000)}s)`
  }

  private tick(): void {
    const timer = setTimeout(() => {
      if (!this.sources.isBusy()) return
      this.refresh()
      this.tick()
    }, spinnerMs)
    timer.unref()
  }

  private footer(): string[] {
    const { session, tasks, exitKey, agentView } = this.sources
    const shells = tasks.count('shell')
    const parts = [modeLabel(session.mode) + (session.mode === 'default' ? '' : ' (shift+tab to cycle)')]
    if (shells > 0) parts.push(`${shells} ${shells === 1 ? 'shell' : 'shells'}`)
    if (this.sources.isBusy()) parts.push('esc to interrupt')
    if (agentView) parts.push('← for agents')
    const warning = '⚠ Transcript saving is off — inherited CLAUDE_CODE_CHILD_SESSION marker'
    return [...(session.saving ? [] : [warning]), exitKey.hint ?? parts.join(' · ')]
  }
}
