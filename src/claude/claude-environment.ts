/**
 * Variables that Claude sets for the programs it starts. A Claude that inherits them saves no conversation, or behaves
 * like a tool of the other one. The user's own configuration variables are not in this list.
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

/** For a process that must not look like a tool of the Claude that starts it. */
export function withoutSessionVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !perSession.has(name)))
}

export function claudeEnvironment(env: NodeJS.ProcessEnv, missionId: string): NodeJS.ProcessEnv {
  const clean: NodeJS.ProcessEnv = {
    ...withoutSessionVariables(env),
    AGENC_MISSION_UUID: missionId,
    COLORTERM: 'truecolor',
  }
  // Claude sets GIT_EDITOR for its tools to a program that does nothing. Without it, the user's own editor is used.
  if (env.CLAUDECODE && clean.GIT_EDITOR === 'true') delete clean.GIT_EDITOR
  if (!clean.TMUX && (!clean.TERM || clean.TERM === 'dumb')) clean.TERM = 'xterm-256color'
  return clean
}
