import { randomBytes, randomUUID } from 'node:crypto'
import { basename, join } from 'node:path'
import type { ClaudePaths } from './claude-files.ts'
import { carriesEffort, carriesMode, type HookEvent } from './hooks.ts'
import type { PermissionMode } from './permissions.ts'
import { Transcript } from './saved-conversations.ts'

export interface AgentIdentity {
  id: string
  type: string
}

export interface SessionStart {
  sessionId: string
  cwd: string
  mode: PermissionMode
  name?: string
  paths: ClaudePaths
  /** False inside another Claude. Then no transcript and no status file is written. */
  saving: boolean
  /** The file of a resumed conversation, which may be in another project's directory. */
  transcriptPath?: string
}

const effort = { level: 'medium' }

/** The identity of a conversation: its id, name, permission mode and current prompt. */
export class Session {
  readonly cwd: string
  readonly paths: ClaudePaths
  readonly saving: boolean
  readonly derivedName: string
  sessionId: string
  mode: PermissionMode
  name: string | undefined
  promptId: string | undefined
  transcript: Transcript
  private plan: string | undefined

  constructor(start: SessionStart) {
    this.cwd = start.cwd
    this.paths = start.paths
    this.saving = start.saving
    this.sessionId = start.sessionId
    this.mode = start.mode
    this.name = start.name
    this.derivedName = `${basename(start.cwd).replace(/[^a-zA-Z0-9]+/g, '-')}-${randomBytes(1).toString('hex')}`
    this.transcript = this.transcriptAt(start.transcriptPath ?? this.usualPath())
  }

  /** Switches to another conversation, but keeps name and mode. Used by `/clear` and by forks. */
  become(sessionId: string): void {
    this.sessionId = sessionId
    this.promptId = undefined
    this.plan = undefined
    this.transcript = this.transcriptAt(this.usualPath())
  }

  changeMode(mode: PermissionMode): void {
    this.mode = mode
    this.transcript.permissionMode(mode)
  }

  titleField(): { session_title?: string } {
    return this.name ? { session_title: this.name } : {}
  }

  nextPrompt(): void {
    this.promptId = randomUUID()
  }

  /** The only file that may be written in plan mode. It is named after the first prompt. */
  planFile(prompt = ''): string {
    const words = prompt.toLowerCase().match(/[a-z0-9]+/g) ?? ['plan']
    this.plan ??= join(
      this.paths.plans,
      `${words.slice(0, 5).join('-')}-${randomBytes(3).toString('hex')}.md`,
    )
    return this.plan
  }

  payload(event: HookEvent, extra: Record<string, unknown>, agent?: AgentIdentity): Record<string, unknown> {
    return {
      session_id: this.sessionId,
      transcript_path: this.transcript.path,
      cwd: this.cwd,
      ...(this.promptId && event !== 'SessionStart' ? { prompt_id: this.promptId } : {}),
      ...(carriesMode(event) ? { permission_mode: this.mode } : {}),
      ...(agent ? { agent_id: agent.id, agent_type: agent.type } : {}),
      ...(carriesEffort(event) ? { effort } : {}),
      hook_event_name: event,
      ...extra,
    }
  }

  private usualPath(): string {
    return this.paths.transcript(this.cwd, this.sessionId)
  }

  private transcriptAt(path: string): Transcript {
    const head = () => ({ sessionId: this.sessionId, cwd: this.cwd, mode: this.mode, name: this.name })
    return new Transcript(path, head, this.saving)
  }
}

/** The variables that Claude sets for every process it starts. */
function marks(session: Session): NodeJS.ProcessEnv {
  return {
    CLAUDECODE: '1',
    CLAUDE_CODE_CHILD_SESSION: '1',
    CLAUDE_CODE_ENTRYPOINT: 'cli',
    CLAUDE_CODE_SESSION_ATTENDED: '1',
    CLAUDE_CODE_SESSION_ID: session.sessionId,
    CLAUDE_EFFORT: 'medium',
    CLAUDE_PID: String(process.pid),
  }
}

export function toolEnv(env: NodeJS.ProcessEnv, session: Session): NodeJS.ProcessEnv {
  return { ...env, ...marks(session), GIT_EDITOR: 'true' }
}

export function hookEnv(
  env: NodeJS.ProcessEnv,
  session: Session,
  size: { columns: number; rows: number },
): NodeJS.ProcessEnv {
  return {
    ...env,
    ...marks(session),
    CLAUDE_PROJECT_DIR: session.cwd,
    COLUMNS: String(size.columns),
    LINES: String(size.rows),
  }
}
