import { randomUUID } from 'node:crypto'
import type { Arguments } from './arguments.ts'
import { modeFromWord, type PermissionMode } from './modes.ts'
import type { Places } from './places.ts'
import type { SavedSession } from './saved-sessions.ts'
import { Session } from './session.ts'
import type { Settings } from './settings.ts'
import { modelId } from './version.ts'

export interface AppStart {
  args: Arguments
  env: NodeJS.ProcessEnv
  cwd: string
  places: Places
  settings: Settings
  saved?: SavedSession
  prompt?: string
  stdin: NodeJS.ReadStream
  stdout: NodeJS.WriteStream
}

/** The session to begin, to go on with, or to branch off. */
export function sessionFrom({ args, env, cwd, places, settings, saved }: AppStart): Session {
  const resumed = saved && !args.forkSession
  const session = new Session({
    sessionId: resumed ? saved.sessionId : (args.sessionId ?? randomUUID()),
    cwd,
    mode: args.permissionMode ?? saved?.mode ?? defaultMode(settings),
    name: args.name ?? saved?.name,
    places,
    saving: !env.CLAUDE_CODE_CHILD_SESSION || Boolean(env.CLAUDE_CODE_FORCE_SESSION_PERSISTENCE),
    transcriptPath: resumed ? saved.path : undefined,
  })
  if (saved) session.transcript.continueFrom(saved.lines, !resumed)
  return session
}

function defaultMode(settings: Settings): PermissionMode {
  return (settings.defaultMode && modeFromWord(settings.defaultMode)) || 'auto'
}

/** What SessionStart says of it: the transcript where it would be if the conversation had begun in this directory. */
export function startEvent({ args, saved, cwd, places }: AppStart, session: Session): { source: string } {
  const source = saved ? (args.forkSession ? 'fork' : 'resume') : 'startup'
  const expected = { transcript_path: places.transcript(cwd, session.sessionId) }
  return { source, ...expected, ...(saved ? {} : { model: args.model ?? modelId }), ...session.titleField() }
}
