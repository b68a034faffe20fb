import { existsSync, readFileSync } from 'node:fs'
import defaults from '../../schema/config.defaults.json' with { type: 'json' }
import type { Paths } from '../paths.ts'
import { version } from '../version.ts'
import type { Config } from './schema.ts'

/**
 * The settings for commands that must be quick: the checked result is kept beside the file by whoever writes it, and
 * used for as long as the file's text is the same, so that the checker need not be loaded.
 */
export async function preparedConfig(paths: Paths): Promise<Config> {
  if (!existsSync(paths.config)) return defaults as Config
  const kept = readKept(paths.preparedConfig)
  if (kept?.version === version && kept.text === readText(paths.config)) return kept.config
  const { loadConfig } = await import('./file.ts')
  return loadConfig(paths.config)
}

/** null: whoever checks it will say what is wrong. */
function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function readKept(path: string): { version: string; text: string; config: Config } | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}
