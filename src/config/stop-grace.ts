import defaults from '../../schema/config.defaults.json' with { type: 'json' }
import type { Paths } from '../paths.ts'
import { preparedConfig } from './read.ts'

/** How long a Claude may take to leave. Broken settings must not keep one alive that somebody wants ended. */
export async function stopGraceMs(paths: Paths): Promise<number> {
  try {
    return (await preparedConfig(paths)).stop.grace_ms
  } catch {
    return defaults.stop.grace_ms
  }
}
