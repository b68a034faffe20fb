/** What Claude hands to a hook; only what agenc reads. Everything in it is data of unknown shape. */
export interface HookEvent {
  name: string
  sessionId: string | null
  transcriptPath: string | null
  permissionMode: string | null
  /** Set when a subagent, not the main conversation, caused the event. */
  agentId: string | null
  source: string | null
  reason: string | null
  prompt: string | null
  toolName: string | null
  toolInput: Record<string, unknown>
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
    sessionId: textOf(data.session_id),
    transcriptPath: textOf(data.transcript_path),
    permissionMode: textOf(data.permission_mode),
    agentId: textOf(data.agent_id),
    source: textOf(data.source),
    reason: textOf(data.reason),
    prompt: textOf(data.prompt),
    toolName: textOf(data.tool_name),
    toolInput: isObject(data.tool_input) ? data.tool_input : {},
    notificationType: textOf(data.notification_type),
    hasBackgroundTasks: Array.isArray(data.background_tasks) && data.background_tasks.length > 0,
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
