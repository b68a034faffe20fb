import { answerScript } from './agent-loop.ts'
import type { ToolUse } from './permissions.ts'
import { Interrupted, type Stage } from './stage.ts'
import { newAgentId, notification } from './tasks.ts'
import type { ToolResult } from './tools.ts'
import { Transcript } from './transcript.ts'
import { modelId } from './version.ts'

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
