import { readFileSync } from 'node:fs'
import { writeFileAtomically } from '../io/files.ts'
import type { Runner } from '../system/runner.ts'
import { claudeVersion } from './claude-version.ts'

export interface ModeCaches {
  version: string
  modes: string
}

/** Reads the permission modes from the help of Claude, once per version. Returns null if the help lists none. */
export function listedModes(
  exec: Runner,
  claude: string,
  env: NodeJS.ProcessEnv,
  caches: ModeCaches,
): string[] | null {
  const version = claudeVersion(exec, claude, env, caches.version)
  const known = readCache(caches.modes)
  if (version !== null && known?.version === version) return known.modes
  const answer = exec.capture(claude, ['--help'], { env, timeoutMs: 10_000 })
  const modes = answer.exitCode === 0 ? modesIn(answer.stdout) : null
  if (version !== null && modes !== null)
    writeFileAtomically(caches.modes, JSON.stringify({ version, modes }))
  return modes
}

/** Claude still accepts `default` if its help lists only the newer name. */
export function modesIn(help: string): string[] | null {
  const [, choices] = /--permission-mode\b[^(]*\(choices:([^)]*)\)/.exec(help) ?? []
  const modes = [...(choices ?? '').matchAll(/"([^"]+)"/g)].map(([, mode]) => mode!)
  if (modes.length === 0) return null
  return modes.includes('manual') ? [...modes, 'default'] : modes
}

function readCache(path: string): { version: string; modes: string[] } | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}
