import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { type AgentContext, contextOf } from './agent-context.ts'
import { Tasks } from './background-tasks.ts'
import { Shells } from './bash-tool.ts'
import { noteEnd, updateClaudeJson } from './claude-files.ts'
import { hookEnv, type Session } from './claude-session.ts'
import { Conversation, type TurnEnd } from './conversation.ts'
import { Dialogs } from './dialogs.ts'
import { Hooks } from './hooks.ts'
import { Messaging } from './messaging.ts'
import type { ToolUse } from './permissions.ts'
import { claudeVersion, modelId } from './release.ts'
import type { Line } from './saved-conversations.ts'
import { StatusFile, StatusReporter, type WaitingFor } from './session-status.ts'
import { handleSignals } from './signals.ts'
import { type AppStart, sessionFrom, startEvent } from './startup.ts'

/** What the stub of the API counts for each request. */
const tokensPerRequest = 10
const costPerRequest = 0.00024

/** `-p --input-format stream-json`: messages come and go as lines of JSON. Resolves with the exit code. */
export function runHeadless(start: AppStart): Promise<number> {
  const { inputFormat, outputFormat, verbose } = start.args
  if (inputFormat !== 'stream-json' || outputFormat !== 'stream-json' || !verbose)
    throw new Error('The stand-in knows -p only with stream-json as input and output, and --verbose.')
  return new HeadlessApp(start).run()
}

class HeadlessApp {
  private readonly start: AppStart
  private readonly session: Session
  private readonly hooks: Hooks
  private readonly shells = new Shells()
  private readonly tasks = new Tasks()
  private readonly status: StatusFile | undefined
  private readonly reporter: StatusReporter
  private readonly context: AgentContext
  private readonly messaging: Messaging
  private readonly conversation: Conversation
  private readonly quit = new AbortController()
  private readonly lines
  /** What the open requests to the host are for. */
  private readonly asked: WaitingFor[] = []
  private turn = { startedAt: 0, requests: 0 }
  private requests = 0
  private hasFailed = false
  private shownTasks = 0
  private leaving = false
  private finish: (exitCode: number) => void = () => {}

  constructor(start: AppStart) {
    const { env, cwd, paths, settings } = start
    this.start = start
    this.session = sessionFrom(start)
    const { session } = this
    this.hooks = new Hooks(settings.hooks, cwd, () => hookEnv(env, session, { columns: 80, rows: 24 }))
    const about = { sessionId: session.sessionId, cwd, name: session.derivedName, env, entrypoint: 'sdk-cli' }
    this.status = session.saving ? new StatusFile(paths.sessions, about) : undefined
    this.reporter = new StatusReporter(
      this.status,
      () => ({
        busy: this.conversation.running,
        subagents: this.tasks.count('subagent'),
        // The status does not tell of commands in the background.
        shells: 0,
        waitingFor: this.asked[0],
      }),
      () => this.tellTasks(),
    )
    this.context = this.makeContext()
    session.transcript.onMessage = line => this.tellMessage(line)
    this.messaging = new Messaging({
      env,
      sessions: paths.sessions,
      session,
      dialogs: this.context.dialogs,
      inbound: settings.crossSessionInbound,
      ending: this.quit.signal,
      receive: (text, origin) => this.conversation.receive(text, origin),
    })
    this.conversation = new Conversation(this.context, {
      sessionStarted: this.open(),
      turnStarted: () => this.tellInit(),
      turnEnded: end => this.tellResult(end),
    })
    this.lines = createInterface({ input: start.stdin })
  }

  run(): Promise<number> {
    handleSignals({ leave: exitCode => this.leave(exitCode), continued: () => {}, resized: () => {} })
    this.lines.on('line', line => this.take(line))
    this.lines.on('close', () => {
      void this.conversation.drained().then(() => this.leave(this.hasFailed ? 1 : 0))
    })
    return new Promise(resolve => {
      this.finish = resolve
    })
  }

  private async open(): Promise<void> {
    const { start, session } = this
    const event = startEvent(start, session)
    const about = {
      hook_id: randomUUID(),
      hook_name: `SessionStart:${event.source}`,
      hook_event: 'SessionStart',
    }
    const messaging = this.status ? await this.messaging.open() : {}
    this.status?.open(messaging)
    if (session.name) this.status?.name(session.name, 'user')
    this.tell({ type: 'system', subtype: 'hook_started', ...about })
    await this.context.fire(
      'SessionStart',
      { source: event.source, ...pathOf(event) },
      { subject: event.source },
    )
    this.tell({ type: 'system', subtype: 'hook_response', ...about, exit_code: 0, outcome: 'success' })
    this.reporter.open()
  }

  private take(text: string): void {
    const line = parsed(text)
    if (line?.type === 'user') this.submit(String((line.message as { content?: unknown })?.content ?? ''))
    if (line?.type === 'control_request') this.control(line)
  }

  private submit(prompt: string): void {
    const command = /^\/[\w:.-]+(?=\s|$)/.exec(prompt.trim())?.[0]
    if (command === undefined) this.conversation.send(prompt)
    else {
      this.tellInit()
      this.tellResult({ text: `${command} isn't available in this environment.` })
    }
  }

  private control({ request_id, request }: Line): void {
    if ((request as { subtype?: unknown })?.subtype !== 'interrupt') return
    const response = { subtype: 'success', request_id, response: { still_queued: [] } }
    this.conversation.interrupt()
    this.write({ type: 'control_response', response })
  }

  /** Nobody answers these requests: agenc's hook is quicker. */
  private askHost(tool: ToolUse, signal: AbortSignal): Promise<void> {
    const request_id = randomUUID()
    const waitingFor = tool.name === 'AskUserQuestion' ? 'input needed' : 'permission prompt'
    const { name: tool_name, input, id: tool_use_id } = tool
    this.write({
      type: 'control_request',
      request_id,
      request: { subtype: 'can_use_tool', tool_name, input, tool_use_id },
    })
    this.asked.push(waitingFor)
    this.reporter.changed()
    return new Promise(resolve => {
      const close = () => {
        this.asked.splice(this.asked.indexOf(waitingFor), 1)
        this.write({ type: 'control_cancel_request', request_id })
        this.reporter.changed()
        resolve()
      }
      if (signal.aborted) close()
      else signal.addEventListener('abort', close, { once: true })
    })
  }

  private tellInit(): void {
    const { cwd, mode } = this.session
    this.turn = { startedAt: Date.now(), requests: 0 }
    this.tell({ type: 'system', subtype: 'init', cwd, model: modelId, permissionMode: mode, tools: [] })
  }

  /** One line per block of an answer. The prompts themselves are not repeated. */
  private tellMessage({ type, message, uuid, timestamp, isApiErrorMessage }: Line): void {
    const { content, ...rest } = message as { content: unknown; stop_reason?: unknown }
    const tell = (told: unknown) =>
      this.tell({ type, message: { ...rest, content: told }, parent_tool_use_id: null, uuid, timestamp })
    if (type === 'assistant') {
      if (!isApiErrorMessage && rest.stop_reason !== null) this.turn.requests++
      for (const block of content as Line[]) tell([block])
    } else if (Array.isArray(content)) tell(content)
    else if (String(content).startsWith('[Request interrupted')) tell([{ type: 'text', text: content }])
  }

  private tellResult(end: TurnEnd): void {
    const { startedAt, requests } = this.turn
    const tokens = requests * tokensPerRequest
    this.requests += requests
    this.hasFailed = !('text' in end)
    this.tell({
      type: 'result',
      ...outcomeOf(end, requests),
      is_error: this.hasFailed,
      duration_ms: Date.now() - startedAt,
      duration_api_ms: 0,
      total_cost_usd: this.requests * costPerRequest,
      usage: {
        input_tokens: tokens,
        output_tokens: tokens,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
      permission_denials: [],
      uuid: randomUUID(),
    })
  }

  private tellTasks(): void {
    const tasks = this.tasks.list() as Line[]
    if (tasks.length === this.shownTasks) return
    this.shownTasks = tasks.length
    this.tell({ type: 'system', subtype: 'background_tasks_changed', tasks })
  }

  private tell(event: Line): void {
    this.write({ ...event, session_id: this.session.sessionId })
  }

  private write(event: Line): void {
    this.start.stdout.write(`${JSON.stringify(event)}\n`)
  }

  private leave(exitCode: number): void {
    if (this.leaving) return
    this.leaving = true
    const finish = () => this.finish(exitCode)
    this.end().then(finish, finish)
  }

  private async end(): Promise<void> {
    const { start, session } = this
    this.reporter.close()
    this.conversation.end()
    this.quit.abort()
    this.lines.close()
    await Promise.all([this.shells.end(), this.hooks.end()])
    this.messaging.close()
    this.status?.remove()
    await this.context.fire('SessionEnd', { reason: 'other' }, { subject: 'other' })
    await updateClaudeJson(start.paths.claudeJson, json =>
      noteEnd(json, start.cwd, session.sessionId, claudeVersion),
    )
  }

  private makeContext(): AgentContext {
    const { session, shells, tasks } = this
    return {
      ...contextOf(this.start, session, this.hooks),
      dialogs: new Dialogs(() => {}),
      shells,
      tasks,
      ending: this.quit.signal,
      absorbQueue: () => this.conversation.absorbQueue(),
      askHost: (tool, signal) => this.askHost(tool, signal),
      show: () => () => {},
      notify: prompt => this.conversation.notify(prompt),
      changed: () => this.reporter.changed(),
    }
  }
}

/** A new conversation is announced without the model. */
function pathOf(event: Record<string, unknown>): Line {
  const { transcript_path } = event
  return transcript_path === undefined ? {} : { transcript_path }
}

/** An interruption counts as two turns. */
function outcomeOf(end: TurnEnd, requests: number): Line {
  if ('text' in end)
    return { subtype: 'success', result: end.text, num_turns: requests, terminal_reason: 'completed' }
  if ('failure' in end)
    return { subtype: 'success', result: end.failure, num_turns: 1, terminal_reason: 'api_error' }
  return { subtype: 'error_during_execution', num_turns: requests + 2, terminal_reason: 'aborted_streaming' }
}

function parsed(line: string): Line | null {
  try {
    const data: unknown = JSON.parse(line)
    return typeof data === 'object' && data !== null ? (data as Line) : null
  } catch {
    return null
  }
}
