import { setTimeout as sleep } from 'node:timers/promises'
import { type AgentContext, contextOf } from './agent-context.ts'
import { Tasks } from './background-tasks.ts'
import { Shells } from './bash-tool.ts'
import { noteEnd, updateClaudeJson } from './claude-files.ts'
import { hookEnv, type Session } from './claude-session.ts'
import { Conversation } from './conversation.ts'
import { ConversationView } from './conversation-view.ts'
import { Dialogs } from './dialogs.ts'
import { Hooks } from './hooks.ts'
import { type Key, type Report, TerminalInput } from './keyboard-input.ts'
import { Messaging } from './messaging.ts'
import { nextMode } from './permissions.ts'
import { ExitKey, type PromptActions, promptKey, submit } from './prompt-box.ts'
import { claudeVersion } from './release.ts'
import { entriesOf } from './saved-conversations.ts'
import { Screen } from './screen.ts'
import { type Activity, StatusFile, StatusReporter } from './session-status.ts'
import { handleSignals, suspend } from './signals.ts'
import { Commands } from './slash-commands.ts'
import { type AppStart, sessionFrom, startEvent, startupDialogs } from './startup.ts'

/**
 * The delay between the first frame and a prompt that accepts Enter, and again before a prompt from the
 * command line is sent.
 */
const readyDelayMs = 30
const terminalGoneExitCode = 129

/** The running program: one terminal and one conversation. */
export class App {
  private readonly start: AppStart
  private readonly session: Session
  private readonly screen: Screen
  private readonly input: TerminalInput
  private readonly hooks: Hooks
  private readonly shells = new Shells()
  private readonly tasks = new Tasks()
  private readonly dialogs = new Dialogs(() => this.reporter.changed())
  private readonly exitKey = new ExitKey(() => this.view.refresh())
  private readonly status: StatusFile | undefined
  private readonly reporter: StatusReporter
  private readonly context: AgentContext
  private readonly view: ConversationView
  private readonly commands: Commands
  private readonly promptActions: PromptActions
  private readonly quit = new AbortController()
  private readonly messaging: Messaging
  private conversation: Conversation | undefined
  /** SessionEnd hooks run only once this is true: no hook may run in a directory that is not trusted. */
  private inSession = false
  private ready = false
  private suspended = false
  /** Ctrl-X was pressed, and belongs to the key that follows. */
  private chord = false
  private leaving = false
  private finish: (exitCode: number) => void = () => {}

  constructor(start: AppStart) {
    const session = sessionFrom(start)
    const agentView = !start.settings.disableAgentView && !start.env.CLAUDE_CODE_DISABLE_AGENT_VIEW
    const { dialogs, tasks, exitKey } = this
    this.start = start
    this.session = session
    this.screen = new Screen(start.stdout)
    this.input = new TerminalInput(start.stdin)
    this.hooks = new Hooks(start.settings.hooks, start.cwd, () => hookEnv(start.env, session, this.screen))
    this.status = session.saving ? statusFileFor(start, session) : undefined
    const sources = { session, dialogs, tasks, exitKey, agentView, stillTitle: Boolean(start.env.TMUX) }
    const entries = entriesOf(start.saved?.lines ?? [])
    this.view = new ConversationView(this.screen, { ...sources, isBusy: () => this.isBusy() }, entries)
    this.reporter = new StatusReporter(
      this.status,
      () => this.activity(),
      () => this.view.refresh(),
    )
    this.context = this.makeContext()
    this.commands = new Commands(this.context, this.view, this.status, {
      submit: prompt => this.conversation?.submit(prompt),
      leave: () => this.leave('prompt_input_exit', 0),
    })
    this.promptActions = this.makePromptActions(agentView)
    this.messaging = new Messaging({
      env: start.env,
      sessions: start.paths.sessions,
      session,
      dialogs,
      inbound: start.settings.crossSessionInbound,
      ending: this.quit.signal,
      receive: (text, origin) => this.conversation?.receive(text, origin),
    })
  }

  /** Resolves with the exit code. */
  run(): Promise<number> {
    handleSignals({
      leave: exitCode => this.leave('other', exitCode),
      continued: () => this.resume(),
      resized: () => this.view.resized(),
    })
    this.input.listen(
      key => this.key(key),
      () => this.leave('other', terminalGoneExitCode),
    )
    void this.begin()
    return new Promise(resolve => {
      this.finish = resolve
    })
  }

  private async begin(): Promise<void> {
    const { start, session, dialogs, quit, view } = this
    view.openQuestions()
    const end = await startupDialogs({ ...start, mode: session.mode, dialogs, signal: quit.signal })
    if (quit.signal.aborted) return
    this.inSession = end?.hooks ?? true
    if (end) return this.leave('other', end.exitCode)
    const event = startEvent(start, session)
    const messaging = this.status ? await this.messaging.open() : {}
    this.status?.open(messaging)
    if (session.name) this.status?.name(session.name, 'user')
    this.conversation = new Conversation(this.context, {
      sessionStarted: this.context.fire('SessionStart', event, { subject: event.source }),
      returnPrompt: prompt => view.takeBack(prompt),
    })
    view.openConversation()
    await sleep(readyDelayMs)
    if (quit.signal.aborted) return
    this.ready = true
    this.reporter.open()
    await sleep(readyDelayMs)
    if (start.prompt && !quit.signal.aborted) this.commands.take(start.prompt)
  }

  private key(key: Key | Report): void {
    if (this.leaving || this.suspended) return
    if (key.name === 'keyboard-protocol') {
      this.screen.useKeyboardProtocol()
      return
    }
    this.conversation?.touched()
    if (key.name === 'ctrl-z' && this.conversation) {
      this.suspend()
      return
    }
    if (this.isChord(key) || this.dialogs.key(key)) return
    if (key.name === 'enter' && !this.ready) return
    this.view.box = promptKey(this.view.box, key, this.promptActions)
    this.reporter.changed()
  }

  /** Ctrl-X Enter submits the text, also one that ends with a backslash. In a dialog it does nothing. */
  private isChord(key: Key): boolean {
    const isSecond = this.chord
    this.chord = key.name === 'ctrl-x'
    if (!isSecond || key.name !== 'enter') return this.chord
    if (this.dialogs.current || !this.ready) return true
    this.view.box = submit(this.view.box, this.promptActions)
    this.reporter.changed()
    return true
  }

  private suspend(): void {
    this.suspended = true
    this.view.close({ keepTitle: true })
    this.input.raw(false)
    this.screen.print('\r\nClaude Code has been suspended. Run `fg` to bring Claude Code back.\r\n')
    suspend()
  }

  private resume(): void {
    if (!this.suspended) return
    this.suspended = false
    this.input.raw(true)
    this.view.openConversation()
  }

  /** Only the first call has an effect; later reasons to exit are ignored. */
  private leave(reason: string, exitCode: number): void {
    if (this.leaving) return
    this.leaving = true
    const finish = () => this.finish(exitCode)
    this.end(reason).then(finish, finish)
  }

  private async end(reason: string): Promise<void> {
    const { session, start, screen } = this
    this.reporter.close()
    this.conversation?.end()
    this.quit.abort()
    this.view.close()
    this.input.close()
    await Promise.all([this.shells.end(), this.hooks.end()])
    this.messaging.close()
    this.status?.remove()
    if (this.inSession) await this.context.fire('SessionEnd', { reason }, { subject: reason })
    if (!this.inSession) return
    const { sessionId, transcript } = session
    await updateClaudeJson(start.paths.claudeJson, json => noteEnd(json, start.cwd, sessionId, claudeVersion))
    if (transcript.exists) screen.print(`\r\nResume this session with:\r\nclaude --resume ${sessionId}\r\n`)
  }

  private isBusy(): boolean {
    return this.commands.running > 0 || (this.conversation?.running ?? false)
  }

  private activity(): Activity {
    return {
      busy: this.isBusy(),
      subagents: this.tasks.count('subagent'),
      shells: this.tasks.count('shell'),
      waitingFor: this.dialogs.current?.dialog.waitingFor,
    }
  }

  private makeContext(): AgentContext {
    const { session, dialogs, shells, tasks } = this
    return {
      ...contextOf(this.start, session, this.hooks),
      dialogs,
      shells,
      tasks,
      ending: this.quit.signal,
      show: entry => this.view.show(entry),
      notify: prompt => this.conversation?.notify(prompt),
      changed: () => this.reporter.changed(),
      absorbQueue: async () => this.conversation?.absorbQueue(),
    }
  }

  private makePromptActions(agentView: boolean): PromptActions {
    const { session, exitKey, commands } = this
    const bypassAllowed = this.start.args.permissionMode === 'bypassPermissions'
    return {
      exitKey,
      agentView,
      isRunning: () => this.conversation?.running ?? false,
      submit: text => commands.take(text),
      interrupt: () => this.conversation?.interrupt(),
      takeBackQueue: () => this.conversation?.takeBackQueue(),
      leave: () => this.leave('prompt_input_exit', 0),
      openAgentView: () => commands.openAgentView(),
      nextMode: () => session.changeMode(nextMode(session.mode, bypassAllowed)),
    }
  }
}

function statusFileFor(start: AppStart, { sessionId, cwd, derivedName }: Session): StatusFile {
  return new StatusFile(start.paths.sessions, { sessionId, cwd, name: derivedName, env: start.env })
}
