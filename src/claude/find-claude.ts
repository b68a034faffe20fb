import { unavailableError } from '../errors.ts'
import { findProgram } from '../system/find-program.ts'

const howToInstall = 'Install it with: npm install -g @anthropic-ai/claude-code'

/** Returns the absolute path of `claude.command` or, if that is not set, of `claude` on PATH. */
export function findClaude(command: string | undefined, env: NodeJS.ProcessEnv): string {
  const found = findProgram(command ?? 'claude', env)
  if (found !== null) return found
  if (command === undefined) throw unavailableError('claude is not installed, or not on PATH', howToInstall)
  throw unavailableError(
    `claude.command is set to ${command}, which is neither an absolute path to a program nor a program on PATH`,
    `Fix it with 'agenc config set claude.command <path>', or 'agenc config unset claude.command'.`,
  )
}
