import { existsSync, readFileSync } from 'node:fs'
import type { AgentIdentity } from './claude-session.ts'
import { permissionDialog, planDialog, type Question, questionDialog } from './dialog-texts.ts'
import { type Input, type PreToolUse, permissionAnswer } from './hooks.ts'
import {
  isPersonal,
  type PermissionMode,
  permissionFor,
  suggestionsFor,
  type ToolUse,
} from './permissions.ts'
import type { Transcript } from './saved-conversations.ts'
import { Interrupted, type Stage, throwIfStopped } from './stage.ts'

export interface ToolRun {
  stage: Stage
  transcript: Transcript
  agent?: AgentIdentity
  signal: AbortSignal
}

export type Permission =
  | (Answer & { allow: true })
  | { allow: true; by: 'rule'; input?: Input; mode?: undefined }
  | { allow: false; message: string }

/**
 * Mode, rules, hooks and at last the user decide whether a tool may run.
 * The user's no ends the turn, but not a subagent's: that one has to find another way.
 */
export async function permit(run: ToolRun, tool: ToolUse, wish: PreToolUse): Promise<Permission> {
  const { session, rules } = run.stage
  const { mode, cwd } = session
  const usual = permissionFor(tool, { mode, cwd, planFile: session.planFile(), ...rules })
  const isAsked = wish.decision === 'ask' && mode === 'dontAsk'
  if (usual === 'deny' && wish.decision !== 'allow' && !isAsked)
    return { allow: false, message: denial(tool, mode) }
  const settled = wish.decision === 'allow' || (usual === 'allow' && wish.decision === 'none')
  if (settled && !isPersonal(tool)) return { allow: true, by: 'rule' }
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
