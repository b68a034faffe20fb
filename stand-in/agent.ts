import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { newAgentId, notification } from './background-tasks.ts'
import { startBackgroundShell } from './bash-tool.ts'
import type { AgentIdentity } from './claude-session.ts'
import type { ApiFailure } from './conversation.ts'
import { type Input, preToolUse } from './hooks.ts'
import { permit, type ToolRun } from './permission-request.ts'
import type { ToolUse } from './permissions.ts'
import { modelId } from './release.ts'
import { type Line, Transcript } from './saved-conversations.ts'
import type { Entry } from './screen-content.ts'
import { type Act, type Turn, turnOf } from './script.ts'
import { Interrupted, type Stage, throwIfStopped } from './stage.ts'
import { answeredQuestions, batchInput, inputFor, leftPlanMode, runTool, type ToolResult } from './tools.ts'

export interface AgentRun {
  stage: Stage
  agent?: AgentIdentity
  signal: AbortSignal
  transcript: Transcript
}

export type LastWord = { text: string } | { failure: ApiFailure }

type ToolAct = Extract<Act, { kind: 'tool' }>

/** Model and tools in turn, until the model has nothing left to do. */
export async function answerScript(run: AgentRun, prompt: string): Promise<LastWord> {
  for (let index = 0; ; index++) {
    const turn = turnOf(prompt, index)
    await pause(turn.delayMs, run.signal)
    const failure = turn.acts.find(act => act.kind === 'error')
    if (failure) return { failure }
    const text = await speak(run, turn)
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
  }
}

const rejected = 'The user does not want to go on with this tool use.'

async function useTools(run: AgentRun, uses: readonly Use[]): Promise<void> {
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
      tool_input: batchInput(run.stage, use.name, use.given),
      tool_use_id: use.id,
      tool_response: content,
    })
  }
  await run.stage.fire('PostToolBatch', { tool_calls: calls }, { agent: run.agent, signal: run.signal })
  throwIfStopped(run.signal)
}

function textOf(result: ToolResult): unknown {
  return result.kind === 'failed' ? result.error : result.text
}

/** Shows the words as they come. */
async function speak({ stage, signal }: AgentRun, turn: Turn): Promise<string> {
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
      else update = stage.show(entry)
      await pause(turn.streamMs, signal)
    }
  }
  return texts.join('\n')
}

/** A plan is written where Claude keeps plans, which no script can know beforehand. */
function toolActs({ stage }: AgentRun, turn: Turn): ToolAct[] {
  return turn.acts.flatMap((act): ToolAct[] => {
    if (act.kind === 'tool') return [act]
    if (act.kind !== 'plan') return []
    return [
      { kind: 'tool', name: 'Write', input: { file_path: stage.session.planFile(), content: act.text } },
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

/** As the model asked for it. */
export interface Use {
  id: string
  name: string
  given: Input
}

/** One tool call, from the hooks before it to the hooks after it. */
export async function useTool(run: ToolRun, use: Use): Promise<ToolResult> {
  const { stage, agent, signal } = run
  const tool: ToolUse = { ...use, input: inputFor(stage, use.name, use.given) }
  const entry = new ToolEntry(stage, tool)
  const before = { tool_name: tool.name, tool_input: tool.input, tool_use_id: tool.id }
  const wish = preToolUse(await stage.fire('PreToolUse', before, { subject: tool.name, agent, signal }))
  throwIfStopped(signal)
  if (wish.decision === 'deny') return entry.refused(`PreToolUse:${tool.name} hook error: ${wish.reason}`)
  const wished = (wish.decision !== 'none' && wish.updatedInput) || tool.input
  const permission = await permit(run, { ...tool, input: wished }, wish)
  if (!permission.allow) return entry.refused(permission.message)
  if (permission.mode) stage.session.changeMode(permission.mode)
  const input = permission.input ?? wished
  const started = Date.now()
  const result = await perform(run, tool, input)
  throwIfStopped(signal)
  await tellResult(run, tool, input, result, Date.now() - started)
  throwIfStopped(signal)
  return entry.finished(result, permission.by)
}

function perform({ stage, signal }: ToolRun, tool: ToolUse, input: Input): Promise<ToolResult> | ToolResult {
  const { session, shells } = stage
  if (tool.name === 'Agent' || tool.name === 'Task') return startSubagent(stage, tool)
  if (tool.name === 'Bash' && input.run_in_background === true) return startBackgroundShell(stage, tool)
  if (tool.name === 'AskUserQuestion') return answeredQuestions(input)
  if (tool.name === 'ExitPlanMode') return leftPlanMode(session)
  return runTool(tool.name, tool.given, input, { cwd: session.cwd, env: stage.childEnv(), shells, signal })
}

async function tellResult(
  { stage, agent, signal }: ToolRun,
  tool: ToolUse,
  input: Input,
  result: ToolResult,
  durationMs: number,
): Promise<void> {
  const options = { subject: tool.name, agent, signal }
  const told = tool.name === 'ExitPlanMode' ? {} : input
  const after = { tool_name: tool.name, tool_input: told, tool_use_id: tool.id, duration_ms: durationMs }
  if (result.kind === 'done')
    await stage.fire('PostToolUse', { ...after, tool_response: result.response }, options)
  if (result.kind === 'failed') {
    await stage.fire('PostToolUseFailure', { ...after, error: result.error, is_interrupt: false }, options)
  }
}

const shownLines = 5

/** A tool call on the screen, and what became of it. */
export class ToolEntry {
  private readonly text: string
  private readonly update: ReturnType<Stage['show']>

  constructor(stage: Stage, tool: ToolUse) {
    const subject = tool.input.command ?? tool.input.file_path ?? tool.input.description ?? ''
    this.text = `${tool.name}(${String(subject).split('\n')[0]})`
    this.update = stage.show({ kind: 'tool', text: this.text })
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

/** An agent that works beside the conversation and reports when it is done. */
export async function startSubagent(stage: Stage, tool: ToolUse): Promise<ToolResult> {
  const { session } = stage
  const agent = { id: newAgentId(), type: String(tool.input.subagent_type ?? 'general-purpose') }
  const description = String(tool.input.description ?? '')
  const prompt = String(tool.input.prompt ?? '')
  const outputFile = session.places.taskOutput(session.cwd, session.sessionId, agent.id)
  await stage.fire('SubagentStart', {}, { agent, subject: agent.type })
  stage.tasks.add({ id: agent.id, type: 'subagent', description, agentType: agent.type })
  stage.changed()
  void work(stage, agent, prompt).then(result => {
    if (stage.ending.aborted) return
    stage.tasks.remove(agent.id)
    stage.changed()
    const summary = `Agent "${description}" finished`
    stage.notify(notification({ taskId: agent.id, toolUseId: tool.id, outputFile, summary, result }))
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

async function work(stage: Stage, agent: { id: string; type: string }, prompt: string): Promise<string> {
  const { session } = stage
  const path = session.places.subagentTranscript(session.cwd, session.sessionId, agent.id)
  const head = () => ({ sessionId: session.sessionId, cwd: session.cwd, mode: session.mode })
  const transcript = new Transcript(path, head, session.saving)
  transcript.user(prompt, { isSidechain: true, agentId: agent.id })
  const signal = stage.ending
  const quiet: Stage = { ...stage, show: () => () => {} }
  const last = await answerScript({ stage: quiet, agent, signal, transcript }, prompt).catch(error => {
    if (error instanceof Interrupted) return { text: '' }
    throw error
  })
  if (signal.aborted) return ''
  const text = 'failure' in last ? last.failure.message : last.text
  await stage.fire(
    'SubagentStop',
    {
      stop_hook_active: false,
      agent_transcript_path: path,
      last_assistant_message: text,
      background_tasks: stage.tasks.list(),
      session_crons: [],
    },
    { agent, subject: agent.type },
  )
  return text
}
