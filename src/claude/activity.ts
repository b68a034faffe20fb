import type { State, WaitingFor } from '../db/mission-record.ts'
import type { HookEvent } from './hook-event.ts'
import type { ClaudeStatus } from './status-file.ts'

/** What Claude is doing, told by its status file and its hooks together. */
export interface Doing {
  state: State
  waitingFor: WaitingFor | null
  /** Tasks go on in the background while the conversation rests. */
  background: boolean
  /** What the latest request is about: the status file names dialogs only roughly. */
  asked: WaitingFor | null
  /** The status file's last word and its time; null and 0 while there is no file. */
  fileStatus: string | null
  fileStatusAtMs: number
}

export function doingAtStart(asksForTrust: boolean): Doing {
  return {
    state: asksForTrust ? 'waiting' : 'starting',
    waitingFor: asksForTrust ? 'trust' : null,
    background: false,
    asked: null,
    fileStatus: null,
    fileStatusAtMs: 0,
  }
}

/** The file is right about dialogs, to the end of each; so while it says `waiting`, no hook says otherwise. */
export function doingAfterHook(doing: Doing, event: HookEvent): Doing {
  const asked = { ...doing, asked: askedBy(event) ?? doing.asked }
  if (doing.fileStatus === 'waiting') return asked
  return event.agentId === null ? afterMainEvent(asked, event) : afterSubagentEvent(asked, event)
}

function afterMainEvent(doing: Doing, event: HookEvent): Doing {
  switch (event.name) {
    case 'SessionStart':
      // Compacting goes on in the middle of a turn.
      return event.source === 'compact' ? doing : resting(doing, false)
    case 'UserPromptSubmit':
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return busy(doing)
    case 'PreToolUse':
    case 'PermissionRequest':
      return afterRequest(doing, askedBy(event))
    case 'Stop':
    case 'StopFailure':
      return resting(doing, event.hasBackgroundTasks)
    case 'Notification':
      return afterNotification(doing, event)
    default:
      return doing
  }
}

/** A tool that asks nothing may start beside one that waits for its answer. */
function afterRequest(doing: Doing, asked: WaitingFor | null): Doing {
  if (asked !== null) return waiting(doing, asked)
  return doing.state === 'waiting' ? doing : busy(doing)
}

/** A subagent's dialog opens when our hook has returned; the file then tells. Hooks fill in where there is none. */
function afterSubagentEvent(doing: Doing, { name }: HookEvent): Doing {
  if (doing.fileStatus !== null) return doing
  if (name === 'PermissionRequest') return waiting(doing, 'permission')
  const isAnswered = name === 'PostToolUse' || name === 'PostToolUseFailure'
  return isAnswered && doing.state === 'waiting' ? busy(doing) : doing
}

/** Comes seconds late: it only fills in for versions that report nothing sooner. */
function afterNotification(doing: Doing, { notificationType }: HookEvent): Doing {
  if (doing.fileStatus !== null) return doing
  if (notificationType === 'permission_prompt' && doing.state !== 'waiting')
    return waiting(doing, 'permission')
  return notificationType === 'idle_prompt' ? resting(doing, doing.background) : doing
}

/** Answered by a rule or from elsewhere. A file that tells of the dialog also tells of its end. */
export function doingAfterAnswer(doing: Doing): Doing {
  return doing.state === 'waiting' && doing.fileStatus !== 'waiting' ? busy(doing) : doing
}

const dialogTools: Record<string, WaitingFor> = { AskUserQuestion: 'question', ExitPlanMode: 'plan' }

/** What a request waits for; null where nobody is asked. */
function askedBy({ name, toolName }: HookEvent): WaitingFor | null {
  if (name !== 'PermissionRequest' && name !== 'PreToolUse') return null
  if (toolName !== null && Object.hasOwn(dialogTools, toolName)) return dialogTools[toolName]!
  return name === 'PermissionRequest' ? 'permission' : null
}

const statusReasons: Record<string, WaitingFor> = {
  'permission prompt': 'permission',
  'input needed': 'question',
}

export function doingAfterStatus(doing: Doing, { status, waitingFor, updatedAtMs }: ClaudeStatus): Doing {
  if (updatedAtMs <= doing.fileStatusAtMs) return doing
  const seen = { ...doing, fileStatus: status, fileStatusAtMs: updatedAtMs }
  switch (status) {
    case 'idle':
      return resting(seen, false)
    case 'shell':
      return resting(seen, true)
    case 'busy':
      // Of subagents too, when the conversation itself has come to rest.
      return seen.background ? resting(seen, true) : busy(seen)
    case 'waiting': {
      const reason = statusReasons[waitingFor ?? '']
      return waiting(seen, reason === undefined ? 'input' : (seen.asked ?? reason))
    }
    default:
      return seen
  }
}

function busy(doing: Doing): Doing {
  return { ...doing, state: 'busy', waitingFor: null, background: false, asked: null }
}

function resting(doing: Doing, background: boolean): Doing {
  return { ...doing, state: 'idle', waitingFor: null, background, asked: null }
}

function waiting(doing: Doing, waitingFor: WaitingFor): Doing {
  return { ...doing, state: 'waiting', waitingFor }
}
