import { readFileSync, realpathSync, statSync } from 'node:fs'
import { writeFileAtomically } from '../io/files.ts'
import type { Runner } from '../system/runner.ts'

/** A smaller file is a launcher. The program behind it can be updated while the launcher stays the same. */
const smallestProgramBytes = 100_000

/**
 * Asks a Claude for its version, once per program file. Returns null if it prints none. The caller must then assume
 * that it supports nothing new.
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

/** Extracts the version from the output of `claude --version`. */
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
