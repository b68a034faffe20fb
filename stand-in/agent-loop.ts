import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiFailure } from './api-failure.ts'
import type { Entry } from './conversation-entry.ts'
import { type Act, type Turn, turnOf } from './script.ts'
import type { AgentIdentity } from './session.ts'
import { Interrupted, type Stage, throwIfStopped } from './stage.ts'
import { batchInput } from './tool-input.ts'
import { type Use, useTool } from './tool-use.ts'
import type { ToolResult } from './tools.ts'
import type { Line, Transcript } from './transcript.ts'

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
