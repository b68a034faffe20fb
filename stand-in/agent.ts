import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AgentContext, type AgentRun, Interrupted, throwIfStopped } from './agent-context.ts'
import { newAgentId, newShellId, notification } from './background-tasks.ts'
import { preToolUseAnswer } from './hooks.ts'
import { decidePermission } from './permission-request.ts'
import type { ToolUse } from './permissions.ts'
import { modelId } from './release.ts'
import { type Line, Transcript } from './saved-conversations.ts'
import type { Entry } from './screen-content.ts'
import type { ToolInput } from './script.ts'
import { type Act, type Turn, turnOf } from './script.ts'
import {
  answeredQuestions,
  batchInput,
  inputFor,
  leftPlanMode,
  runTool,
  type ToolResult,
  withJoinedAnswers,
} from './tools.ts'

export interface ApiFailure {
  status: number
  message: string
  /** When the user's subscription allows more, in seconds of the epoch. Only for its limit. */
  resetsAt?: number
}

export type AgentResult = { text: string } | { failure: ApiFailure }

type ToolAct = Extract<Act, { kind: 'tool' }>

/** Alternates between model and tools until the model calls no more tools. */
export async function runAgent(run: AgentRun, prompt: string): Promise<AgentResult> {
  for (let index = 0; ; index++) {
    const turn = turnOf(prompt, index)
    await pause(turn.delayMs, run.signal)
    const failure = failureIn(turn)
    if (failure) return { failure }
    const text = await showText(run, turn, shown =>
      run.transcript.assistant([{ type: 'text', text: shown }], null),
    )
    if (turn.acts.some(act => act.kind === 'hang')) await untilStopped(run.signal)
    const uses = toolActs(run, turn).map(act => ({
      id: `toolu_${randomUUID()}`,
      name: act.name,
      given: act.input,
    }))
    const blocks = uses.map(use => ({ type: 'tool_use', id: use.id, name: use.name, input: use.given }))
    const spoken = text ? [{ type: 'text', text }] : []
    run.transcript.assistant([...spoken, ...blocks], uses.length > 0 ? 'tool_use' : 'end_turn')
    if (uses.length === 0) return { text }
    await useTools(run, uses)
    if (run.agent === undefined) await run.context.absorbQueue()
  }
}

function failureIn({ acts }: Turn): ApiFailure | undefined {
  const limit = acts.find(act => act.kind === 'limit')
  return limit
    ? { status: 429, message: 'limit', resetsAt: limit.resetsAt }
    : acts.find(act => act.kind === 'error')
}

const rejected = "The user doesn't want to proceed with this tool use."

async function useTools(run: AgentRun, uses: readonly RequestedTool[]): Promise<void> {
  const calls: Line[] = []
  for (const use of uses) {
    const result = await useTool(run, use).catch(error => {
      run.transcript.user([{ type: 'tool_result', tool_use_id: use.id, content: rejected, is_error: true }])
      throw error
    })
    const content = textOf(result)
    run.transcript.user([
      { type: 'tool_result', tool_use_id: use.id, content, is_error: result.kind !== 'done' },
    ])
    calls.push({
      tool_name: use.name,
      tool_input: batchInput(run.context, use.name, use.given),
      tool_use_id: use.id,
      tool_response: content,
    })
  }
  await run.context.fire('PostToolBatch', { tool_calls: calls }, { agent: run.agent, signal: run.signal })
  throwIfStopped(run.signal)
}

function textOf(result: ToolResult): unknown {
  return result.kind === 'failed' ? result.error : result.text
}

/** Shows the text word by word, at the pace that the script sets. `keep` gets what an interruption leaves of it. */
async function showText(
  { context, signal }: AgentRun,
  turn: Turn,
  keep: (shown: string) => void,
): Promise<string> {
  const texts: string[] = []
  for (const act of turn.acts) {
    if (act.kind !== 'text') continue
    texts.push(act.text)
    let update: ((entry: Entry) => void) | undefined
    let shown = ''
    for (const word of act.text.match(/\s*\S+|\s+$/g) ?? ['']) {
      shown += word
      const entry: Entry = { kind: 'assistant', text: shown }
      if (update) update(entry)
      else update = context.show(entry)
      await pause(turn.streamMs, signal).catch(error => {
        keep(shown)
        throw error
      })
    }
  }
  return texts.join('\n')
}

/** Turns `[[plan]]` into a Write to Claude's plan file, whose path a script cannot know in advance. */
function toolActs({ context }: AgentRun, turn: Turn): ToolAct[] {
  return turn.acts.flatMap((act): ToolAct[] => {
    if (act.kind === 'tool') return [act]
    if (act.kind !== 'plan') return []
    return [
      { kind: 'tool', name: 'Write', input: { file_path: context.session.planFile(), content: act.text } },
    ]
  })
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  throwIfStopped(signal)
  if (ms <= 0) return
  await sleep(ms, undefined, { signal }).catch(() => {
    throw new Interrupted()
  })
}

async function untilStopped(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
  throw new Interrupted()
}

/** A tool call exactly as the model requested it. */
interface RequestedTool {
  id: string
  name: string
  given: ToolInput
}

/** Carries out one tool call, from its PreToolUse hooks to its PostToolUse hooks. */
async function useTool(run: AgentRun, use: RequestedTool): Promise<ToolResult> {
  const { context, agent, signal } = run
  const tool: ToolUse = { ...use, input: inputFor(context, use.name, use.given) }
  const entry = new ToolEntry(context, tool)
  const before = { tool_name: tool.name, tool_input: tool.input, tool_use_id: tool.id }
  const wish = preToolUseAnswer(
    await context.fire('PreToolUse', before, { subject: tool.name, agent, signal }),
  )
  throwIfStopped(signal)
  if (wish.decision === 'deny') return entry.refused(`PreToolUse:${tool.name} hook error: ${wish.reason}`)
  const wished = (wish.decision !== 'none' && wish.updatedInput) || tool.input
  const permission = await decidePermission(run, { ...tool, input: wished }, wish)
  if (!permission.allow) return entry.refused(permission.message)
  if (permission.mode) context.session.changeMode(permission.mode)
  const input = withJoinedAnswers(permission.input ?? wished)
  const started = Date.now()
  const result = await perform(run, tool, input)
  throwIfStopped(signal)
  await tellResult(run, tool, input, result, Date.now() - started)
  throwIfStopped(signal)
  return entry.finished(result, permission.by)
}

function perform(
  { context, signal }: AgentRun,
  tool: ToolUse,
  input: ToolInput,
): Promise<ToolResult> | ToolResult {
  const { session, shells } = context
  if (tool.name === 'Agent' || tool.name === 'Task') return startSubagent(context, tool)
  if (tool.name === 'Bash' && input.run_in_background === true) return startBackgroundShell(context, tool)
  if (tool.name === 'AskUserQuestion') return answeredQuestions(input)
  if (tool.name === 'ExitPlanMode') return leftPlanMode(session)
  return runTool(tool.name, tool.given, input, { cwd: session.cwd, env: context.childEnv(), shells, signal })
}

async function tellResult(
  { context, agent, signal }: AgentRun,
  tool: ToolUse,
  input: ToolInput,
  result: ToolResult,
  durationMs: number,
): Promise<void> {
  const options = { subject: tool.name, agent, signal }
  const told = tool.name === 'ExitPlanMode' ? {} : input
  const after = { tool_name: tool.name, tool_input: told, tool_use_id: tool.id, duration_ms: durationMs }
  if (result.kind === 'done')
    await context.fire('PostToolUse', { ...after, tool_response: result.response }, options)
  if (result.kind === 'failed') {
    await context.fire('PostToolUseFailure', { ...after, error: result.error, is_interrupt: false }, options)
  }
}

const shownLines = 5

/** A tool call and its outcome on the screen. */
class ToolEntry {
  private readonly text: string
  private readonly update: ReturnType<AgentContext['show']>

  constructor(context: AgentContext, tool: ToolUse) {
    const subject = tool.input.command ?? tool.input.file_path ?? tool.input.description ?? ''
    this.text = `${tool.name}(${String(subject).split('\n')[0]})`
    this.update = context.show({ kind: 'tool', text: this.text })
  }

  refused(reason: string): ToolResult {
    this.detail(`Not run · permission denied\nReason: ${reason}`)
    return { kind: 'refused', text: reason }
  }

  finished(result: ToolResult, by: 'user' | 'hook' | 'rule'): ToolResult {
    const output = result.kind === 'failed' ? result.error : result.text
    const lines = typeof output === 'string' ? output.split('\n').slice(0, shownLines) : []
    this.detail([...lines, ...(by === 'hook' ? ['Allowed by PermissionRequest hook'] : [])].join('\n'))
    return result
  }

  private detail(detail: string): void {
    this.update({ kind: 'tool', text: this.text, detail })
  }
}

/** Starts an agent that works in the background and reports when it is done. */
async function startSubagent(context: AgentContext, tool: ToolUse): Promise<ToolResult> {
  const { session } = context
  const agent = { id: newAgentId(), type: String(tool.input.subagent_type ?? 'general-purpose') }
  const description = String(tool.input.description ?? '')
  const prompt = String(tool.input.prompt ?? '')
  const outputFile = session.paths.taskOutput(session.cwd, session.sessionId, agent.id)
  await context.fire('SubagentStart', {}, { agent, subject: agent.type })
  context.tasks.add({ id: agent.id, type: 'subagent', description, agentType: agent.type })
  context.changed()
  void work(context, agent, prompt).then(result => {
    if (context.ending.aborted) return
    context.tasks.remove(agent.id)
    context.changed()
    const summary = `Agent "${description}" finished`
    context.notify(notification({ taskId: agent.id, toolUseId: tool.id, outputFile, summary, result }))
  })
  const launched = {
    isAsync: true,
    status: 'async_launched',
    agentId: agent.id,
    description,
    prompt,
    outputFile,
  }
  const response = { ...launched, resolvedModel: modelId, canReadOutputFile: true, canContinueAgent: true }
  return { kind: 'done', response, text: [{ type: 'text', text: `Async agent launched: ${agent.id}` }] }
}

async function work(
  context: AgentContext,
  agent: { id: string; type: string },
  prompt: string,
): Promise<string> {
  const { session } = context
  const path = session.paths.subagentTranscript(session.cwd, session.sessionId, agent.id)
  const head = () => ({ sessionId: session.sessionId, cwd: session.cwd, mode: session.mode })
  const transcript = new Transcript(path, head, session.saving)
  transcript.user(prompt, { isSidechain: true, agentId: agent.id })
  const signal = context.ending
  const quiet: AgentContext = { ...context, show: () => () => {} }
  const last = await runAgent({ context: quiet, agent, signal, transcript }, prompt).catch(error => {
    if (error instanceof Interrupted) return { text: '' }
    throw error
  })
  if (signal.aborted) return ''
  const text = 'failure' in last ? last.failure.message : last.text
  await context.fire(
    'SubagentStop',
    {
      stop_hook_active: false,
      agent_transcript_path: path,
      last_assistant_message: text,
      background_tasks: context.tasks.list(),
      session_crons: [],
    },
    { agent, subject: agent.type },
  )
  return text
}

/** Starts a command without waiting for it. Claude gets a notification when the command ends. */
function startBackgroundShell(context: AgentContext, tool: ToolUse): ToolResult {
  const { session, tasks, shells } = context
  const id = newShellId()
  const command = String(tool.input.command)
  const description = String(tool.input.description ?? command)
  const outputFile = session.paths.taskOutput(session.cwd, session.sessionId, id)
  tasks.add({ id, type: 'shell', description, command })
  void shells
    .background(command, { cwd: session.cwd, env: context.childEnv() }, outputFile)
    .then(exitCode => {
      if (context.ending.aborted) return
      tasks.remove(id)
      context.changed()
      const summary = `Background command "${description}" completed (exit code ${exitCode})`
      context.notify(notification({ taskId: id, toolUseId: tool.id, outputFile, summary }))
    })
  const text = `Command running in background with ID: ${id}. Output is being written to: ${outputFile}.`
  const response = { stdout: '', stderr: '', interrupted: false, isImage: false, noOutputExpected: false }
  return { kind: 'done', response: { ...response, backgroundTaskId: id }, text }
}
