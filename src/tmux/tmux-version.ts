import { unavailableError } from '../errors.ts'
import { isAtLeast } from '../system/program-version.ts'
import type { Runner } from '../system/runner.ts'
import { deadlineMs } from './deadline.ts'
import { cannotBeAsked } from './tmux-answer.ts'

const oldestTmux = '3.2'

/**
 * Spells a tmux version as semver can read it: `tmux 3.3a` is `3.3.1`, `3.5-rc2` is `3.5.0`, `next-3.6` is `3.6.0`.
 * Returns null for versions without a number of tmux's own (`master`, `openbsd-7.5`). Those are always recent.
 */
export function coerceTmuxVersion(text: string): string | null {
  const word = text.trim().replace(/^tmux\s+/, '')
  const [, major, minor, letter] = /^(?:next-)?(\d+)\.(\d+)([a-z])?/.exec(word) ?? []
  if (major === undefined) return null
  const patch = letter === undefined ? 0 : letter.charCodeAt(0) - 'a'.charCodeAt(0) + 1
  return `${major}.${minor}.${patch}`
}

export function isNewEnough(tmuxVersion: string): boolean {
  const version = coerceTmuxVersion(tmuxVersion)
  return version === null || isAtLeast(version, oldestTmux)
}

/** Throws if tmux is missing or too old. Returns what `tmux -V` prints. */
export function requireTmux(exec: Runner, env: NodeJS.ProcessEnv): string {
  const answer = exec.capture('tmux', ['-V'], { env, timeoutMs: deadlineMs })
  const needed = `agenc needs tmux ${oldestTmux} or newer`
  if (answer.missing)
    throw unavailableError('tmux is not installed', `${needed}: apt-get install tmux, or brew install tmux`)
  if (answer.timedOut) throw cannotBeAsked({ message: answer.stderr })
  if (answer.exitCode !== 0) throw unavailableError(`tmux -V failed: ${answer.stderr.trim()}`, `${needed}.`)
  const found = answer.stdout.trim()
  if (!isNewEnough(found)) throw unavailableError(`${found} is too old`, `${needed}.`)
  return found
}
