/**
 * What one Claude sets for the programs it starts. Inherited by another Claude, they make it save nothing,
 * or believe that it is somebody's tool. The user's own configuration variables are not among them.
 */
const perSession = new Set([
  'AI_AGENT',
  'ANTHROPIC_CLAUDE_ENTRYPOINT',
  'CLAUDECODE',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_EXECPATH',
  'CLAUDE_CODE_IS_SIDE_CHANNEL',
  'CLAUDE_CODE_MESSAGING_SOCKET',
  'CLAUDE_CODE_MESSAGING_TOKEN',
  'CLAUDE_CODE_SESSION_ATTENDED',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_EFFORT',
  'CLAUDE_ENV_FILE',
  'CLAUDE_PID',
  'CLAUDE_PROJECT_DIR',
  'CLAUDE_SESSION_ID',
])

export function claudeEnvironment(env: NodeJS.ProcessEnv, missionId: string): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !perSession.has(name))
  const clean: NodeJS.ProcessEnv = {
    ...Object.fromEntries(kept),
    AGENC_MISSION_UUID: missionId,
    COLORTERM: 'truecolor',
  }
  // Claude gives its tools an editor that does nothing; the user's own must come back.
  if (env.CLAUDECODE && clean.GIT_EDITOR === 'true') delete clean.GIT_EDITOR
  if (!clean.TMUX && (!clean.TERM || clean.TERM === 'dumb')) clean.TERM = 'xterm-256color'
  return clean
}
