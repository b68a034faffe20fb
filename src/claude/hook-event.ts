/** What Claude hands to a hook; only what agenc reads. Everything in it is data of unknown shape. */
export interface HookEvent {
  name: string
  sessionId: string | null
  transcriptPath: string | null
  /** Where the tool would run. */
  cwd: string | null
  permissionMode: string | null
  /** Set when a subagent, not the main conversation, caused the event. */
  agentId: string | null
  source: string | null
  reason: string | null
  toolName: string | null
  toolInput: Record<string, unknown>
  /** Requests have none. */
  toolUseId: string | null
  /** Permission modes that Claude offers to go over to. */
  suggestedModes: string[]
  notificationType: string | null
  hasBackgroundTasks: boolean
}

/** null: not a hook's JSON. */
export function parseHookEvent(text: string): HookEvent | null {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(data) || typeof data.hook_event_name !== 'string') return null
  return {
    name: data.hook_event_name,
    sessionId: uuidOf(data.session_id),
    transcriptPath: textOf(data.transcript_path),
    cwd: textOf(data.cwd),
    permissionMode: textOf(data.permission_mode),
    agentId: textOf(data.agent_id),
    source: textOf(data.source),
    reason: textOf(data.reason),
    toolName: textOf(data.tool_name),
    toolInput: isObject(data.tool_input) ? data.tool_input : {},
    toolUseId: textOf(data.tool_use_id),
    suggestedModes: modesIn(data.permission_suggestions),
    notificationType: textOf(data.notification_type),
    hasBackgroundTasks: Array.isArray(data.background_tasks) && data.background_tasks.length > 0,
  }
}

function modesIn(suggestions: unknown): string[] {
  const modes = (Array.isArray(suggestions) ? suggestions : [])
    .filter(isObject)
    .map(({ type, mode }) => (type === 'setMode' ? textOf(mode) : null))
  return modes.filter(mode => mode !== null)
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** It becomes an argument and part of a path. */
function uuidOf(value: unknown): string | null {
  return typeof value === 'string' && uuid.test(value) ? value : null
}
