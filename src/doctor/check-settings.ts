import { loadConfig } from '../config/config-file.ts'
import { defaultConfig } from '../config/parse.ts'
import type { Config } from '../config/schema.ts'
import type { Context } from '../context.ts'
import { isAgencError } from '../errors.ts'
import { type Finding, ok, problem } from './finding.ts'

/** With settings that cannot be read, the other checks go on with the defaults. */
export function checkSettings({ paths }: Context): { config: Config; finding: Finding } {
  try {
    return { config: loadConfig(paths.config), finding: ok('settings', 'config.json is valid') }
  } catch (error) {
    if (!isAgencError(error)) throw error
    const remedy = error.hint ?? "Mend it with 'agenc config edit'."
    return { config: defaultConfig, finding: problem('settings', error.message, remedy) }
  }
}
