import { unavailableError } from '../errors.ts'
import { findProgram } from '../system/find-program.ts'

const howToInstall = 'Install it with: npm install -g @anthropic-ai/claude-code'

/** The absolute path of Claude Code: `claude.command`, else `claude` from PATH. */
export function findClaude(command: string | undefined, env: NodeJS.ProcessEnv): string {
  const found = findProgram(command ?? 'claude', env)
  if (found !== null) return found
  if (command === undefined) throw unavailableError('claude is not installed, or not on PATH', howToInstall)
  throw unavailableError(
    `the setting claude.command names ${command}, which is not an executable program by an absolute path or on PATH`,
    `Mend it with 'agenc config set claude.command <path>', or 'agenc config unset claude.command'.`,
  )
}
