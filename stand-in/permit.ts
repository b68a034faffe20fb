import { type Answer, askPermission } from './asking.ts'
import type { Input, PreToolUse } from './hook-decision.ts'
import type { PermissionMode } from './modes.ts'
import { isPersonal, permissionFor, type ToolUse } from './permissions.ts'
import type { AgentIdentity } from './session.ts'
import { Interrupted, type Stage, throwIfStopped } from './stage.ts'
import type { Transcript } from './transcript.ts'

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
