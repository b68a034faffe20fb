import type { Config } from '../config/schema.ts'
import { permissionArguments } from './permission-mode.ts'

/** The conversation that Claude is to open. */
export interface Conversation {
  sessionId: string
  /** Something was said in it, so it can be resumed. */
  hasBegun: boolean
  /** The conversation that it branches off from, as long as it has not begun. */
  forkedFrom: string | null
}

export interface CommandLineParts {
  conversation: Conversation
  /** Null to let Claude's own settings decide. */
  mode: string | null
  settingsPath: string
  name: string | null
  model: string | null
  config: Config['claude']
}

/** The prompt is not among the arguments: it is Claude's stdin, so that `ps` shows it to no one. */
export function claudeCommandLine(parts: CommandLineParts): string[] {
  return [
    ...sessionArguments(parts.conversation),
    ...permissionArguments(parts.mode, parts.config.allowed_tools),
    '--settings',
    parts.settingsPath,
    ...(parts.name === null ? [] : [`--name=${parts.name}`]),
    ...(parts.model === null ? [] : [`--model=${parts.model}`]),
    ...parts.config.args,
  ]
}

/** An id under which nothing was said yet is free to begin with. */
export function sessionArguments({ sessionId, hasBegun, forkedFrom }: Conversation): string[] {
  if (hasBegun) return ['--resume', sessionId]
  if (forkedFrom !== null) return ['--resume', forkedFrom, '--fork-session', '--session-id', sessionId]
  return ['--session-id', sessionId]
}
