import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where Claude keeps its things. */
export interface Places {
  config: string
  claudeJson: string
  sessions: string
  plans: string
  /** The transcripts of conversations begun in a directory. */
  project(cwd: string): string
  transcript(cwd: string, sessionId: string): string
  subagentTranscript(cwd: string, sessionId: string, agentId: string): string
  taskOutput(cwd: string, sessionId: string, taskId: string): string
}

export function placesFrom(env: NodeJS.ProcessEnv): Places {
  const home = env.HOME || homedir()
  const config = env.CLAUDE_CONFIG_DIR || join(home, '.claude')
  const project = (cwd: string) => join(config, 'projects', flattened(cwd))
  return {
    config,
    claudeJson: env.CLAUDE_CONFIG_DIR ? join(config, '.claude.json') : join(home, '.claude.json'),
    sessions: join(config, 'sessions'),
    plans: join(config, 'plans'),
    project,
    transcript: (cwd, sessionId) => join(project(cwd), `${sessionId}.jsonl`),
    subagentTranscript: (cwd, sessionId, agentId) =>
      join(project(cwd), sessionId, 'subagents', `agent-${agentId}.jsonl`),
    taskOutput: (cwd, sessionId, taskId) =>
      join(
        tmpdir(),
        `claude-${process.getuid?.() ?? 0}`,
        flattened(cwd),
        sessionId,
        'tasks',
        `${taskId}.output`,
      ),
  }
}

function flattened(cwd: string): string {
  return cwd.replace(/[^a-zA-Z0-9]/g, '-')
}
