import { readFileSync } from 'node:fs'
import defaults from '../../schema/config.defaults.json' with { type: 'json' }
import type { Paths } from '../paths.ts'
import { version } from '../version.ts'
import { readConfigText } from './config-text.ts'
import type { Config } from './schema.ts'

/**
 * The settings for commands that must be quick: the checked result is kept beside the file by whoever writes it, and
 * used for as long as the file's text is the same, so that the checker need not be loaded.
 */
export async function preparedConfig(paths: Paths): Promise<Config> {
  return configOf(paths, readConfigText(paths.config))
}

/** What a text of the file means; null: there is no file. */
export async function configOf(paths: Paths, text: string | null): Promise<Config> {
  if (text === null) return defaults as Config
  const kept = readKept(paths.preparedConfig)
  if (kept?.version === version && kept.text === text) return kept.config
  const { checkedConfig } = await import('./config-file.ts')
  return checkedConfig(paths.config, text)
}

function readKept(path: string): { version: string; text: string; config: Config } | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}
