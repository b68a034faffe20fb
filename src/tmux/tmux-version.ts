import { unavailableError } from '../errors.ts'
import type { Runner } from '../system/runner.ts'

const oldest = { major: 3, minor: 2 }

/** Returns null for a version without a number (`master`, OpenBSD's own). Those are always recent. */
export function parseTmuxVersion(text: string): { major: number; minor: number } | null {
  const word = text.trim().replace(/^tmux\s+/, '')
  if (word.startsWith('openbsd-') || word === 'master') return null
  const match = /^(?:next-)?(\d+)\.(\d+)/.exec(word)
  return match ? { major: Number(match[1]), minor: Number(match[2]) } : null
}

export function isNewEnough(version: { major: number; minor: number } | null): boolean {
  if (version === null) return true
  return version.major > oldest.major || (version.major === oldest.major && version.minor >= oldest.minor)
}

/** Returns the version, as tmux writes it. */
export function requireTmux(exec: Runner, env: NodeJS.ProcessEnv): string {
  const answer = exec.capture('tmux', ['-V'], { env })
  const needed = `agenc needs tmux ${oldest.major}.${oldest.minor} or newer`
  if (answer.missing)
    throw unavailableError('tmux is not installed', `${needed}: apt-get install tmux, or brew install tmux`)
  if (answer.exitCode !== 0) throw unavailableError(`tmux -V failed: ${answer.stderr.trim()}`, `${needed}.`)
  const found = answer.stdout.trim()
  if (!isNewEnough(parseTmuxVersion(found))) throw unavailableError(`${found} is too old`, `${needed}.`)
  return found
}
