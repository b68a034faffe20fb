import { existsSync, readFileSync } from 'node:fs'
import { type AgentContext, type AgentRun, Interrupted, throwIfStopped } from './agent-context.ts'
import type { AgentIdentity } from './claude-session.ts'
import { permissionDialog, planDialog, type Question, questionDialog } from './dialog-texts.ts'
import { type PreToolUse, permissionAnswer } from './hooks.ts'
import {
  isForUserOnly,
  type PermissionMode,
  permissionFor,
  suggestionsFor,
  type ToolUse,
} from './permissions.ts'
import type { ToolInput } from './script.ts'

export type Permission =
  | (Answer & { allow: true })
  | { allow: true; by: 'rule'; input?: ToolInput; mode?: undefined }
  | { allow: false; message: string }

/**
 * Decides whether a tool may run: first by mode and rules, then by hooks, and last by asking the user.
 * A refusal by the user ends the main agent's turn. A subagent continues and has to find another way.
 */
export async function decidePermission(run: AgentRun, tool: ToolUse, wish: PreToolUse): Promise<Permission> {
  const { session, rules } = run.context
  const { mode, cwd } = session
  const usual = permissionFor(tool, { mode, cwd, planFile: session.planFile(), ...rules })
  const isAsked = wish.decision === 'ask' && mode === 'dontAsk'
  if (usual === 'deny' && wish.decision !== 'allow' && !isAsked)
    return { allow: false, message: denial(tool, mode) }
  const settled = wish.decision === 'allow' || (usual === 'allow' && wish.decision === 'none')
  if (settled && !isForUserOnly(tool)) return { allow: true, by: 'rule' }
  const reason = wish.decision === 'ask' ? confirmation(tool, wish.reason) : undefined
  const answer = await askPermission({ ...run, tool, reason })
  throwIfStopped(run.signal)
  const isByHook = answer.allow ? answer.by === 'hook' : answer.message !== undefined
  if (isByHook) run.transcript.hookDecision(tool.id, answer.allow ? 'allow' : 'deny')
  if (answer.allow) return answer
  if (answer.message === undefined && !run.agent) throw new Interrupted()
  return { allow: false, message: answer.message ?? 'Permission for this tool use was denied.' }
}

function confirmation(tool: ToolUse, reason = ''): string {
  return `Hook PreToolUse:${tool.name} requires confirmation for this command: ${reason}`
}

function denial(tool: ToolUse, mode: PermissionMode): string {
  if (mode !== 'dontAsk') return `Permission to use ${tool.name} has been denied.`
  return `Permission to use ${tool.name} has been denied because Claude Code is running in don't ask mode.`
}

export type Answer =
  | { allow: true; by: 'user' | 'hook'; input?: ToolInput; mode?: PermissionMode }
  /** Without a message, the user refused, and the turn ends. */
  | { allow: false; message?: string }

export interface PermissionQuestion {
  context: AgentContext
  tool: ToolUse
  agent?: AgentIdentity
  signal: AbortSignal
  /** Set if a hook demanded this dialog. The dialog then offers no rule to remember. */
  reason?: string
}

const notificationMs = 6_000

/** Shows the dialog while the PermissionRequest hooks run. The first answer counts. */
export async function askPermission(asking: PermissionQuestion): Promise<Answer> {
  const { context, tool, agent, signal, reason } = asking
  const suggestions = reason ? undefined : suggestionsFor(tool, context.session.cwd)
  const request = {
    tool_name: tool.name,
    tool_input: tool.input,
    ...(suggestions ? { permission_suggestions: suggestions } : {}),
  }
  const turnedDown = new AbortController()
  const hookSignal = AbortSignal.any([signal, turnedDown.signal])
  const hooks = context
    .fire('PermissionRequest', request, { subject: tool.name, agent, signal: hookSignal })
    .then(outcomes => hookAnswer(tool, permissionAnswer(outcomes)))
  // Without a terminal, a request needs no place on a screen.
  if (agent && !context.askHost) {
    const answer = await hooks
    if (answer) return answer
  }
  const answered = new AbortController()
  const user = userAnswer(asking, AbortSignal.any([signal, answered.signal]))
  const reminder = setTimeout(() => remind(context), notificationMs)
  const first = await Promise.race([user, hooks.then(answer => answer ?? user)])
  clearTimeout(reminder)
  answered.abort()
  if (!first.allow && first.message === undefined) turnedDown.abort()
  return first
}

function remind(context: AgentContext): void {
  const notice = { message: 'Claude needs your permission', notification_type: 'permission_prompt' }
  void context.fire('Notification', notice, { subject: notice.notification_type })
}

/**
 * A hook cannot approve a plan or answer a question with a bare "allow"; it must supply the input as well.
 */
function hookAnswer(tool: ToolUse, answer: ReturnType<typeof permissionAnswer>): Answer | undefined {
  if (!answer) return undefined
  if (answer.behavior === 'deny')
    return { allow: false, message: answer.interrupt ? undefined : answer.message }
  if (isForUserOnly(tool) && !answer.updatedInput) return undefined
  if (tool.name === 'AskUserQuestion' && !Array.isArray(answer.updatedInput?.questions))
    return { allow: false, message: withoutQuestions }
  const mode = answer.mode ?? (tool.name === 'ExitPlanMode' ? 'default' : undefined)
  return { allow: true, by: 'hook', input: answer.updatedInput, mode }
}

const withoutQuestions = `PermissionRequest hook for AskUserQuestion returned updatedInput that failed schema validation: AskUserQuestion failed due to the following issue:
The required parameter \`questions\` is missing
The tool input from the model was valid; the hook's rewrite of it was not.`

function userAnswer(asking: PermissionQuestion, signal: AbortSignal): Promise<Answer> {
  const { askHost } = asking.context
  if (askHost) return askHost(asking.tool, signal).then(() => ({ allow: false }))
  if (asking.tool.name === 'AskUserQuestion') return askQuestions(asking, signal)
  if (asking.tool.name === 'ExitPlanMode') return askPlan(asking, signal)
  return askTool(asking, signal)
}

async function askTool(
  { context, tool, agent, reason }: PermissionQuestion,
  signal: AbortSignal,
): Promise<Answer> {
  const suggestions = suggestionsFor(tool, context.session.cwd)
  const dialog = permissionDialog(tool, suggestions, { reason, agentType: agent?.type })
  const answer = await context.dialogs.ask(dialog, signal)
  if (!answer || answer === 'cancelled' || !answer.chosen.allow) return { allow: false }
  const { mode, remember } = answer.chosen
  if (remember) context.rules.allow.push(remember)
  return { allow: true, by: 'user', mode }
}

async function askQuestions({ context, tool }: PermissionQuestion, signal: AbortSignal): Promise<Answer> {
  const answers: Record<string, string> = {}
  for (const question of (tool.input.questions ?? []) as Question[]) {
    const answer = await context.dialogs.ask(questionDialog(question), signal)
    if (!answer || answer === 'cancelled') return { allow: false }
    answers[question.question] = answer.chosen
  }
  return { allow: true, by: 'user', input: { ...tool.input, answers, annotations: {} } }
}

async function askPlan({ context }: PermissionQuestion, signal: AbortSignal): Promise<Answer> {
  const path = context.session.planFile()
  const plan = existsSync(path) ? readFileSync(path, 'utf8') : null
  const answer = await context.dialogs.ask(planDialog(plan, path), signal)
  if (!answer || answer === 'cancelled' || !answer.chosen) return { allow: false }
  return { allow: true, by: 'user', mode: answer.chosen }
}
