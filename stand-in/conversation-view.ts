import type { Tasks } from './background-tasks.ts'
import type { Session } from './claude-session.ts'
import type { Dialogs } from './dialogs.ts'
import { modeLabel } from './permissions.ts'
import { boxWith, type ExitKey, emptyBox, type PromptBox } from './prompt-box.ts'
import type { Screen } from './screen.ts'
import { dialogLines, type Entry, frameOf } from './screen-content.ts'

/** What the picture is made from. */
export interface Scene {
  session: Session
  dialogs: Dialogs
  tasks: Tasks
  exitKey: ExitKey
  agentView: boolean
  /** In tmux the title stands still, so that it does not look like news. */
  stillTitle: boolean
  isBusy(): boolean
}

const spinnerMs = 1_000

/** The conversation on the screen, redrawn whenever something in it changes. */
export class Display {
  box: PromptBox = emptyBox
  private entries: Entry[]
  private readonly screen: Screen
  private readonly scene: Scene
  private stage: 'questions' | 'conversation' | 'off' = 'off'
  private busySince: number | undefined

  constructor(screen: Screen, scene: Scene, entries: Entry[]) {
    this.screen = screen
    this.scene = scene
    this.entries = entries
  }

  /** Nothing is touched until there is something to ask. */
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

  /** A prompt that came to nothing goes back to where it was typed. */
  takeBack(prompt: string): void {
    const at = this.entries.findLastIndex(entry => entry.kind === 'user')
    if (at >= 0) this.entries.splice(at, 1)
    if (this.box.text === '') this.box = boxWith(prompt)
  }

  resized(): void {
    this.screen.resized()
    this.refresh()
  }

  refresh(): void {
    const { columns, rows } = this.screen
    const dialog = this.scene.dialogs.current
    if (this.stage === 'questions' && dialog) {
      this.screen.openInline()
      this.screen.draw(dialogLines(dialog, columns))
    }
    if (this.stage !== 'conversation') return
    const { cwd: directory, name } = this.scene.session
    const { entries, box } = this
    this.screen.setTitle(this.title())
    const parts = { activity: this.activity(), footer: this.footer() }
    this.screen.draw(frameOf({ columns, rows, directory, name, entries, dialog, box, ...parts }))
  }

  private title(): string {
    const turning = Math.floor(Date.now() / spinnerMs) % 2 === 0 ? '◐' : '◑'
    const sign = this.scene.isBusy() && !this.scene.stillTitle ? turning : '✳'
    return `${sign} ${this.scene.session.name ?? 'Claude Code'}`
  }

  private activity(): string | undefined {
    if (!this.scene.isBusy()) {
      this.busySince = undefined
      const agents = this.scene.tasks.count('subagent')
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
      if (!this.scene.isBusy()) return
      this.refresh()
      this.tick()
    }, spinnerMs)
    timer.unref()
  }

  private footer(): string[] {
    const { session, tasks, exitKey, agentView } = this.scene
    const shells = tasks.count('shell')
    const parts = [modeLabel(session.mode) + (session.mode === 'default' ? '' : ' (shift+tab to cycle)')]
    if (shells > 0) parts.push(`${shells} ${shells === 1 ? 'shell' : 'shells'}`)
    if (this.scene.isBusy()) parts.push('esc to interrupt')
    if (agentView) parts.push('← for agents')
    const warning = '⚠ Transcript saving is off — inherited CLAUDE_CODE_CHILD_SESSION marker'
    return [...(session.saving ? [] : [warning]), exitKey.hint ?? parts.join(' · ')]
  }
}
