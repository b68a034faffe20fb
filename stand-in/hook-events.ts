/** Every name that may stand under `hooks` in the settings; another one opens the warning dialog. */
export const hookEvents = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'Notification',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PreModelSwitch',
  'PostModelSwitch',
  'PermissionRequest',
  'PermissionDenied',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'DirectoryAdded',
  'MessageDisplay',
] as const

export type HookEvent = (typeof hookEvents)[number]

export function isHookEvent(name: string): name is HookEvent {
  return (hookEvents as readonly string[]).includes(name)
}

const withoutMode = new Set<HookEvent>([
  'SessionStart',
  'SessionEnd',
  'Notification',
  'StopFailure',
  'SubagentStart',
])
const withoutEffort = new Set<HookEvent>([
  'SessionStart',
  'SessionEnd',
  'Notification',
  'SubagentStart',
  'UserPromptSubmit',
])

export const carriesMode = (event: HookEvent): boolean => !withoutMode.has(event)
export const carriesEffort = (event: HookEvent): boolean => !withoutEffort.has(event)
