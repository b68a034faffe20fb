import type { Session } from './session.ts'

/** What Claude adds to the environment of everything it starts. */
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
