import { existsSync, readFileSync } from 'node:fs'
import { type Answer, askPermission } from './asking.ts'
import { startBackgroundShell } from './background-shell.ts'
import { type Input, preToolUse } from './hook-decision.ts'
import { permissionFor, type ToolUse } from './permissions.ts'
import type { AgentIdentity } from './session.ts'
import { Interrupted, type Stage, throwIfStopped } from './stage.ts'
import { startSubagent } from './subagent.ts'
import { inputFor } from './tool-input.ts'
import { runTool, type ToolResult } from './tools.ts'

export interface ToolRun {
  stage: Stage
  agent?: AgentIdentity
  signal: AbortSignal
}

/** One tool call, from the hooks before it to the hooks after it. */
export async function useTool(
  run: ToolRun,
  use: { id: string; name: string; given: Input },
): Promise<ToolResult> {
  const { stage, agent, signal } = run
  const tool: ToolUse = { ...use, input: inputFor(stage, use.name, use.given) }
  const about = { tool_name: tool.name, tool_input: tool.input, tool_use_id: tool.id }
  const options = { subject: tool.name, agent, signal }
  const show = showTool(stage, tool)
  const wish = preToolUse(await stage.fire('PreToolUse', about, options))
  throwIfStopped(signal)
  if (wish.decision === 'deny') return show.refused(`PreToolUse:${tool.name} hook error: ${wish.reason}`)
  const input = (wish.decision !== 'none' && wish.updatedInput) || tool.input
  const permission = await permit(run, { ...tool, input }, wish)
  if (!permission.allow) return show.refused(permission.message ?? '')
  if (permission.mode) stage.session.changeMode(permission.mode)
  const started = Date.now()
  const result = await perform(run, tool, permission.input ?? input)
  throwIfStopped(signal)
  const after = {
    tool_name: tool.name,
    tool_input: inputAfter(tool, permission.input ?? input),
    tool_use_id: tool.id,
  }
  const durationMs = Date.now() - started
  if (result.kind === 'done') {
    await stage.fire(
      'PostToolUse',
      { ...after, tool_response: result.response, duration_ms: durationMs },
      options,
    )
  } else if (result.kind === 'failed') {
    const failure = { error: result.error, is_interrupt: false, duration_ms: durationMs }
    await stage.fire('PostToolUseFailure', { ...after, ...failure }, options)
  }
  throwIfStopped(signal)
  return show.finished(result, permission.by)
}

type Permission =
  | (Answer & { allow: true })
  | { allow: true; by: 'rule'; input?: Input; mode?: undefined }
  | {
      allow: false
      message: string
    }

async function permit(run: ToolRun, tool: ToolUse, wish: ReturnType<typeof preToolUse>): Promise<Permission> {
  const { stage } = run
  const { session, rules } = stage
  const usual = permissionFor(tool, {
    mode: session.mode,
    cwd: session.cwd,
    planFile: session.planFile(),
    ...rules,
  })
  if (usual === 'deny' && wish.decision !== 'allow')
    return { allow: false, message: denial(tool, session.mode) }
  const personal = tool.name === 'AskUserQuestion' || tool.name === 'ExitPlanMode'
  if (!personal && wish.decision !== 'ask' && (wish.decision === 'allow' || usual === 'allow')) {
    return { allow: true, by: 'rule' }
  }
  const reason =
    wish.decision === 'ask' ? `Hook PreToolUse:${tool.name} requires confirmation: ${wish.reason}` : undefined
  const answer = await askPermission({ ...run, tool, reason })
  throwIfStopped(run.signal)
  if (answer.allow) return answer
  if (answer.message === undefined) throw new Interrupted()
  return { allow: false, message: answer.message }
}

function denial(tool: ToolUse, mode: string): string {
  if (mode !== 'dontAsk') return `Permission to use ${tool.name} has been denied.`
  return `Permission to use ${tool.name} has been denied because Claude Code is running in don't ask mode.`
}

function perform(run: ToolRun, tool: ToolUse, input: Input): Promise<ToolResult> | ToolResult {
  const { stage, signal } = run
  const { cwd } = stage.session
  if (tool.name === 'Agent' || tool.name === 'Task') return startSubagent(stage, tool)
  if (tool.name === 'Bash' && input.run_in_background === true) return startBackgroundShell(stage, tool)
  if (tool.name === 'AskUserQuestion') return answeredQuestions(input)
  if (tool.name === 'ExitPlanMode') return leftPlanMode(stage)
  return runTool(tool.name, tool.given, input, { cwd, env: stage.childEnv(), shells: stage.shells, signal })
}

function answeredQuestions(input: Input): ToolResult {
  const answers = Object.entries((input.answers ?? {}) as Record<string, string>)
  const pairs = answers.map(([question, answer]) => `"${question}"="${answer}"`).join(', ')
  const text = `Your questions have been answered: ${pairs}. You can now continue with these answers in mind.`
  return { kind: 'done', response: input, text }
}

function leftPlanMode(stage: Stage): ToolResult {
  const filePath = stage.session.planFile()
  const plan = existsSync(filePath) ? readFileSync(filePath, 'utf8') : null
  const text =
    plan === null
      ? 'User has approved exiting plan mode. You can now proceed.'
      : `User has approved your plan. You can now start coding.\n\n## Approved Plan:\n${plan}`
  return { kind: 'done', response: { plan, isAgent: false, filePath }, text }
}

function inputAfter(tool: ToolUse, input: Input): Input {
  return tool.name === 'ExitPlanMode' ? {} : input
}

function showTool(stage: Stage, tool: ToolUse) {
  const subject = tool.input.command ?? tool.input.file_path ?? tool.input.description ?? ''
  const text = `${tool.name}(${String(subject).split('\n')[0]})`
  const update = stage.show({ kind: 'tool', text })
  return {
    refused: (reason: string): ToolResult => {
      update({ kind: 'tool', text, detail: `Not run · permission denied\nReason: ${reason}` })
      return { kind: 'refused', text: reason }
    },
    finished: (result: ToolResult, by: string): ToolResult => {
      const note = by === 'hook' ? 'Allowed by PermissionRequest hook' : undefined
      const output =
        result.kind === 'done' ? String(result.text) : result.kind === 'failed' ? result.error : result.text
      const detail = [output.split('\n').slice(0, 5).join('\n'), note].filter(Boolean).join('\n')
      update({ kind: 'tool', text, detail })
      return result
    },
  }
}
