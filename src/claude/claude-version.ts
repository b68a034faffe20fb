import { readFileSync, realpathSync, statSync } from 'node:fs'
import { writeFileAtomically } from '../io/files.ts'
import type { Runner } from '../system/runner.ts'

/** A smaller file starts another one, which may be replaced behind it. */
const smallestProgramBytes = 100_000

/**
 * The version of this very program file, asked once and remembered for as long as the file is the same.
 * null: it did not say, and nothing may be assumed of it.
 */
export function claudeVersion(
  exec: Runner,
  claude: string,
  env: NodeJS.ProcessEnv,
  cachePath: string,
): string | null {
  const fingerprint = fingerprintOf(claude)
  const known = readCache(cachePath)
  if (fingerprint !== null && known?.fingerprint === fingerprint) return known.version
  const answer = exec.capture(claude, ['--version'], { env, timeoutMs: 10_000 })
  const version = answer.exitCode === 0 ? versionIn(answer.stdout) : null
  if (fingerprint !== null && version !== null) {
    writeFileAtomically(cachePath, JSON.stringify({ fingerprint, version }))
  }
  return version
}

/** What `claude --version` printed, without the words around it. */
export function versionIn(text: string): string | null {
  return /\d+\.\d+\.\d+/.exec(text)?.[0] ?? null
}

function fingerprintOf(path: string): string | null {
  try {
    const real = realpathSync(path)
    const { mtimeMs, size, ino } = statSync(real)
    return size < smallestProgramBytes ? null : [real, mtimeMs, size, ino].join(':')
  } catch {
    return null
  }
}

function readCache(path: string): { fingerprint: string; version: string } | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}
