import { startBackgroundShell } from './background-shell.ts'
import { answeredQuestions, leftPlanMode } from './dialog-tools.ts'
import { type Input, preToolUse } from './hook-decision.ts'
import type { ToolUse } from './permissions.ts'
import { permit, type ToolRun } from './permit.ts'
import { throwIfStopped } from './stage.ts'
import { startSubagent } from './subagent.ts'
import { ToolEntry } from './tool-entry.ts'
import { inputFor } from './tool-input.ts'
import { runTool, type ToolResult } from './tools.ts'

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
