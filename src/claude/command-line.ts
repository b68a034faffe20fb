import type { Config } from '../config/schema.ts'
import { permissionArguments } from './permission-mode.ts'

/** The conversation that Claude will open. */
export interface Conversation {
  sessionId: string
  /** True once the conversation has a message. Claude cannot resume it before that. */
  hasBegun: boolean
  /** The conversation that this one branches off from. Used only until this one has begun. */
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

/** The prompt is not an argument but comes on stdin, so that `ps` does not show it. */
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

/** Claude refuses to resume a conversation without messages, so such a conversation is started under its id. */
export function sessionArguments({ sessionId, hasBegun, forkedFrom }: Conversation): string[] {
  if (hasBegun) return ['--resume', sessionId]
  if (forkedFrom !== null) return ['--resume', forkedFrom, '--fork-session', '--session-id', sessionId]
  return ['--session-id', sessionId]
}
