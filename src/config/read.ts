import { readFileSync } from 'node:fs'
import defaults from '../../schema/config.defaults.json' with { type: 'json' }
import { adviceOnShortage, configError, errorCode } from '../errors.ts'
import { writeFileAtomically } from '../io/files.ts'
import type { Paths } from '../paths.ts'
import { version } from '../version.ts'
import type { Config } from './schema.ts'

export const defaultConfig = defaults as Config

/** The settings. Throws if config.json cannot be read or has a mistake in it. */
export async function readConfig(paths: Paths): Promise<Config> {
  return configFromText(paths, readConfigText(paths.config))
}

/**
 * Returns the settings in a text of config.json, or the defaults if the text is null. Checking a text means loading
 * the schema library, so the result is cached beside config.json and used while the text stays the same.
 */
export async function configFromText(paths: Paths, text: string | null): Promise<Config> {
  if (text === null) return defaultConfig
  const cached = readCache(paths.configCache)
  if (cached?.version === version && cached.text === text) return cached.config
  const { checkedConfig } = await import('./check.ts')
  const config = checkedConfig(paths.config, text)
  cacheConfig(paths, text, config)
  return config
}

/** Returns null if there is no file yet. */
export function readConfigText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw configError(
      `cannot read ${path}: ${(error as Error).message}`,
      adviceOnShortage(error) ??
        'Check the owner and the mode of the file, or set AGENC_DIRPATH to another directory.',
    )
  }
}

/** How long Claude may take to exit. Broken settings must not keep a Claude alive that is meant to end. */
export async function stopGraceMs(paths: Paths): Promise<number> {
  try {
    return (await readConfig(paths)).stop.grace_ms
  } catch {
    return defaultConfig.stop.grace_ms
  }
}

function readCache(path: string): { version: string; text: string; config: Config } | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

/** Ignores errors: without the cache, commands are slower but still right. */
export function cacheConfig({ configCache }: Paths, text: string, config: Config): void {
  try {
    writeFileAtomically(configCache, JSON.stringify({ version, text, config }))
  } catch {}
}
