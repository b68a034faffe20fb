import { isAtLeast } from '../system/program-version.ts'

/** The version of Claude Code that introduced each event. An unknown event makes Claude open a blocking dialog. */
export const knownSince = {
  PreToolUse: '1.0.38',
  PostToolUse: '1.0.38',
  Notification: '1.0.38',
  Stop: '1.0.38',
  SubagentStop: '1.0.41',
  UserPromptSubmit: '1.0.54',
  SessionStart: '1.0.62',
  SessionEnd: '1.0.85',
  PermissionRequest: '2.0.45',
  PostToolUseFailure: '2.1.33',
  StopFailure: '2.1.78',
} as const

export type HookEventName = keyof typeof knownSince

/** The events that this version of Claude can report. */
export function knownHookEvents(version: string | null): HookEventName[] {
  const names = Object.keys(knownSince) as HookEventName[]
  if (version === null) return names.filter(name => knownSince[name].startsWith('1.'))
  return names.filter(name => isAtLeast(version, knownSince[name]))
}
