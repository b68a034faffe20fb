import type { HookEvent } from '../claude/hook-event.ts'
import type { ClaudeStatus } from '../claude/status-file.ts'
import type { State, WaitingFor } from '../mission/record.ts'

/** What is known of a running Claude, and follows what it reports. */
export interface Live {
  state: State
  waitingFor: WaitingFor | null
  background: boolean
  sessionId: string
  sessionBegun: boolean
  transcriptPath: string | null
  /** How many prompts Claude has taken in this run. */
  promptCount: number
  /** The first mode reported in this run, and the latest: a difference is the user's doing. */
  firstMode: string | null
  mode: string | null
  /** The name Claude showed when it was last looked at, where the user gave one. */
  claudeName: string | null
  statusUpdatedAtMs: number
}

export function initialLive(sessionId: string, sessionBegun: boolean, asksForTrust: boolean): Live {
  return {
    state: asksForTrust ? 'waiting' : 'starting',
    waitingFor: asksForTrust ? 'trust' : null,
    background: false,
    sessionId,
    sessionBegun,
    transcriptPath: null,
    promptCount: 0,
    firstMode: null,
    mode: null,
    claudeName: null,
    statusUpdatedAtMs: 0,
  }
}

const dialogs: Record<string, WaitingFor> = { AskUserQuestion: 'question', ExitPlanMode: 'plan' }

/** What a request by this tool waits for. */
export function waitingReason(toolName: string | null): WaitingFor {
  return toolName !== null && Object.hasOwn(dialogs, toolName) ? dialogs[toolName]! : 'permission'
}

export function afterHook(live: Live, event: HookEvent): Live {
  return withState(withMode(withIdentity(live, event), event), event)
}

/** `/clear`, a fork and a resume change the conversation; a subagent's events do not. */
function withIdentity(live: Live, event: HookEvent): Live {
  if (event.agentId !== null || event.sessionId === null || event.name === 'SessionEnd') return live
  const isOther = event.sessionId !== live.sessionId
  return {
    ...live,
    sessionId: event.sessionId,
    promptCount: live.promptCount + (event.name === 'UserPromptSubmit' ? 1 : 0),
    sessionBegun:
      event.name === 'UserPromptSubmit' || (!isOther && live.sessionBegun) || event.source === 'resume',
    transcriptPath: event.transcriptPath ?? (isOther ? null : live.transcriptPath),
  }
}

function withMode(live: Live, event: HookEvent): Live {
  if (event.permissionMode === null || event.agentId !== null) return live
  return { ...live, firstMode: live.firstMode ?? event.permissionMode, mode: event.permissionMode }
}

function withState(live: Live, event: HookEvent): Live {
  if (event.agentId !== null && event.name !== 'PostToolUse') return live
  switch (event.name) {
    case 'SessionStart':
      return settled(live, 'idle')
    case 'UserPromptSubmit':
      return settled(live, 'busy')
    case 'PreToolUse':
      return event.toolName !== null && Object.hasOwn(dialogs, event.toolName)
        ? waiting(live, dialogs[event.toolName]!)
        : settled(live, 'busy')
    case 'PermissionRequest':
      return waiting(live, waitingReason(event.toolName))
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return event.agentId === null ? settled(live, 'busy') : live
    case 'Stop':
    case 'StopFailure':
      return { ...settled(live, 'idle'), background: event.hasBackgroundTasks }
    case 'Notification':
      return afterNotification(live, event)
    default:
      return live
  }
}

/** Comes seconds late: it only fills in for versions that report nothing sooner. */
function afterNotification(live: Live, event: HookEvent): Live {
  if (live.statusUpdatedAtMs > 0) return live
  if (event.notificationType === 'permission_prompt' && live.state !== 'waiting')
    return waiting(live, 'permission')
  if (event.notificationType === 'idle_prompt') return settled(live, 'idle')
  return live
}

const statusReasons: Record<string, WaitingFor> = {
  'permission prompt': 'permission',
  'input needed': 'question',
}

/** Right where hooks are silent: after an interrupt, and when a dialog was answered. */
export function afterStatus(live: Live, status: ClaudeStatus): Live {
  const named = { ...live, claudeName: status.userName }
  if (status.updatedAtMs <= live.statusUpdatedAtMs) return named
  const seen = { ...named, statusUpdatedAtMs: status.updatedAtMs }
  if (status.status === 'idle') return settled(seen, 'idle')
  if (status.status === 'busy') return settled(seen, 'busy')
  if (status.status === 'waiting') {
    return seen.state === 'waiting' && seen.waitingFor !== 'trust'
      ? seen
      : waiting(seen, statusReasons[status.waitingFor ?? ''] ?? 'input')
  }
  return seen
}

function settled(live: Live, state: 'idle' | 'busy'): Live {
  return { ...live, state, waitingFor: null, background: state === 'idle' && live.background }
}

function waiting(live: Live, waitingFor: WaitingFor): Live {
  return { ...live, state: 'waiting', waitingFor }
}
