import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where Claude Code keeps its own files. */
export interface ClaudeLocations {
  directory: string
  /** In the home directory, or inside CLAUDE_CONFIG_DIR if that is set. */
  globalConfig: string
  plans: string
  statusFile(pid: number): string
}

export function claudeLocations(env: NodeJS.ProcessEnv): ClaudeLocations {
  const home = env.HOME || homedir()
  const directory = env.CLAUDE_CONFIG_DIR || join(home, '.claude')
  return {
    directory,
    globalConfig: env.CLAUDE_CONFIG_DIR ? join(directory, '.claude.json') : join(home, '.claude.json'),
    plans: join(directory, 'plans'),
    statusFile: pid => join(directory, 'sessions', `${pid}.json`),
  }
}
