import { existsSync, readFileSync } from 'node:fs'
import { permissionDialog, planDialog, type Question, questionDialog } from './dialog-texts.ts'
import { type Input, permissionAnswer } from './hook-decision.ts'
import type { PermissionMode } from './modes.ts'
import { isPersonal, suggestionsFor, type ToolUse } from './permissions.ts'
import type { AgentIdentity } from './session.ts'
import type { Stage } from './stage.ts'

export type Answer =
  | { allow: true; by: 'user' | 'hook'; input?: Input; mode?: PermissionMode }
  /** Without a message the user said no, and that ends the turn. */
  | { allow: false; message?: string }

export interface Asking {
  stage: Stage
  tool: ToolUse
  agent?: AgentIdentity
  signal: AbortSignal
  /** A hook wants the user to look: nothing is offered to be remembered. */
  reason?: string
}

const notificationMs = 6_000

/** The dialog stands while the hooks think; whoever answers first, counts. */
export async function askPermission(asking: Asking): Promise<Answer> {
  const { stage, tool, agent, signal, reason } = asking
  const suggestions = reason ? undefined : suggestionsFor(tool, stage.session.cwd)
  const request = {
    tool_name: tool.name,
    tool_input: tool.input,
    ...(suggestions ? { permission_suggestions: suggestions } : {}),
  }
  const turnedDown = new AbortController()
  const hookSignal = AbortSignal.any([signal, turnedDown.signal])
  const hooks = stage
    .fire('PermissionRequest', request, { subject: tool.name, agent, signal: hookSignal })
    .then(outcomes => hookAnswer(tool, permissionAnswer(outcomes)))
  if (agent) {
    const answer = await hooks
    if (answer) return answer
  }
  const answered = new AbortController()
  const user = userAnswer(asking, AbortSignal.any([signal, answered.signal]))
  const reminder = setTimeout(() => remind(stage), notificationMs)
  const first = await Promise.race([user, hooks.then(answer => answer ?? user)])
  clearTimeout(reminder)
  answered.abort()
  if (!first.allow && first.message === undefined) turnedDown.abort()
  return first
}

function remind(stage: Stage): void {
  const notice = { message: 'Claude needs your permission', notification_type: 'permission_prompt' }
  void stage.fire('Notification', notice, { subject: notice.notification_type })
}

/** Plans and questions are the user's: a bare "allow" does not answer them. */
function hookAnswer(tool: ToolUse, answer: ReturnType<typeof permissionAnswer>): Answer | undefined {
  if (!answer) return undefined
  if (answer.behavior === 'deny')
    return { allow: false, message: answer.interrupt ? undefined : answer.message }
  if (isPersonal(tool) && !answer.updatedInput) return undefined
  const mode = answer.mode ?? (tool.name === 'ExitPlanMode' ? 'default' : undefined)
  return { allow: true, by: 'hook', input: answer.updatedInput, mode }
}

function userAnswer(asking: Asking, signal: AbortSignal): Promise<Answer> {
  if (asking.tool.name === 'AskUserQuestion') return askQuestions(asking, signal)
  if (asking.tool.name === 'ExitPlanMode') return askPlan(asking, signal)
  return askTool(asking, signal)
}

async function askTool({ stage, tool, agent, reason }: Asking, signal: AbortSignal): Promise<Answer> {
  const suggestions = suggestionsFor(tool, stage.session.cwd)
  const dialog = permissionDialog(tool, suggestions, { reason, agentType: agent?.type })
  const answer = await stage.dialogs.ask(dialog, signal)
  if (!answer || answer === 'cancelled' || !answer.chosen.allow) return { allow: false }
  const { mode, remember } = answer.chosen
  if (remember) stage.rules.allow.push(remember)
  return { allow: true, by: 'user', mode }
}

async function askQuestions({ stage, tool }: Asking, signal: AbortSignal): Promise<Answer> {
  const answers: Record<string, string> = {}
  for (const question of (tool.input.questions ?? []) as Question[]) {
    const answer = await stage.dialogs.ask(questionDialog(question), signal)
    if (!answer || answer === 'cancelled') return { allow: false }
    answers[question.question] = answer.chosen
  }
  return { allow: true, by: 'user', input: { ...tool.input, answers, annotations: {} } }
}

async function askPlan({ stage }: Asking, signal: AbortSignal): Promise<Answer> {
  const path = stage.session.planFile()
  const plan = existsSync(path) ? readFileSync(path, 'utf8') : null
  const answer = await stage.dialogs.ask(planDialog(plan, path), signal)
  if (!answer || answer === 'cancelled' || !answer.chosen) return { allow: false }
  return { allow: true, by: 'user', mode: answer.chosen }
}
