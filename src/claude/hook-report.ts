import { isObject } from '../io/json.ts'
import type { Dialog, Report } from './agent-report.ts'
import { planPathOf, questionOf } from './plans-and-questions.ts'

/** The tools whose dialogs only the user can answer. */
export const dialogTools: Readonly<Record<string, Dialog>> = {
  AskUserQuestion: 'question',
  ExitPlanMode: 'plan',
}

/**
 * Turns a hook's JSON into a report. Returns null if a hook did not write it. No field is assumed to have its type.
 * `planDirectories` are the directories in which Claude keeps plans.
 */
export function hookReport(data: unknown, planDirectories: readonly string[]): Report | null {
  if (!isObject(data) || typeof data.hook_event_name !== 'string') return null
  const common = {
    agentId: textOf(data.agent_id),
    sessionId: uuidOf(data.session_id),
    transcriptPath: textOf(data.transcript_path),
    mode: textOf(data.permission_mode),
  }
  switch (data.hook_event_name) {
    case 'SessionStart':
      return { ...common, kind: 'opened', origin: originOf(data.source) }
    case 'UserPromptSubmit':
      return { ...common, kind: 'prompt-taken', prompt: textOf(data.prompt) }
    case 'PreToolUse':
      return { ...common, kind: 'about-to-use', ...toolPart(data, dialogOf(data, null), []) }
    case 'PermissionRequest':
      return { ...common, kind: 'asks', ...toolPart(data, dialogOf(data, 'permission'), []) }
    case 'PostToolUse':
      return { ...common, kind: 'used', ...toolPart(data, null, planDirectories) }
    case 'PostToolUseFailure':
      return { ...common, kind: 'used', ...toolPart(data, null, []) }
    case 'Stop':
    case 'StopFailure':
      return {
        ...common,
        kind: 'turn-ended',
        hasBackgroundTasks: isFilled(data.background_tasks),
        lastMessage: textOf(data.last_assistant_message),
        failure: data.hook_event_name === 'StopFailure' ? (textOf(data.error) ?? 'unknown') : null,
      }
    case 'SubagentStop':
      return { ...common, kind: 'subagent-ended' }
    case 'SessionEnd':
      return { ...common, kind: isReplaced(data.reason) ? 'replaced' : 'closed' }
    case 'Notification':
      return { ...common, kind: reminderOf(data.notification_type) }
    default:
      return { ...common, kind: 'other' }
  }
}

function originOf(source: unknown): 'new' | 'resumed' | 'forked' | 'compacted' {
  switch (source) {
    case 'resume':
      return 'resumed'
    case 'fork':
      return 'forked'
    case 'compact':
      return 'compacted'
    default:
      return 'new'
  }
}

/** With any other reason, Claude itself is ending, and the conversation stays the current one. */
function isReplaced(reason: unknown): boolean {
  return reason === 'clear' || reason === 'resume'
}

function reminderOf(type: unknown): 'still-asks' | 'still-idle' | 'other' {
  if (type === 'permission_prompt') return 'still-asks'
  return type === 'idle_prompt' ? 'still-idle' : 'other'
}

/** `usual` is the dialog for a tool that has no special one. */
function dialogOf({ tool_name: tool }: Record<string, unknown>, usual: Dialog | null): Dialog | null {
  return typeof tool === 'string' && Object.hasOwn(dialogTools, tool) ? dialogTools[tool]! : usual
}

function toolPart(data: Record<string, unknown>, dialog: Dialog | null, planDirectories: readonly string[]) {
  const tool = textOf(data.tool_name) ?? ''
  const input = isObject(data.tool_input) ? data.tool_input : {}
  return {
    use: { tool, input, cwd: textOf(data.cwd), id: textOf(data.tool_use_id) },
    dialog,
    question: dialog === 'question' ? questionOf(input) : null,
    planPath: planPathOf(tool, input, planDirectories),
  }
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Anything but a UUID is dropped, because the id becomes an argument and part of a path. */
function uuidOf(value: unknown): string | null {
  return typeof value === 'string' && uuid.test(value) ? value : null
}
