import { defineCommand, jsonOption } from '../../cli/command.ts'
import { loadConfig } from '../../config/config-file.ts'
import { findSetting } from '../../config/setting-key.ts'
import { showValue, valueAt } from '../../config/setting-value.ts'
import { cleanText } from '../../io/text.ts'

export default defineCommand<{ key: string; json?: boolean }>({
  description: 'Print one setting. If it has no value, prints an empty line, or null with --json.',
  arguments: [{ name: 'key', description: 'a setting, such as claude.model', required: true }],
  options: [jsonOption],
  examples: ['agenc config get claude.permission_mode', 'agenc config get repos.github.com/o/r.model --json'],
  run({ out, paths }, { key, json }) {
    const setting = findSetting(key)
    const value = valueAt(loadConfig(paths.config), setting.path)
    if (json) out.line(JSON.stringify(value ?? null))
    else out.line(out.isTerminal ? cleanText(showValue(value)) : showValue(value))
    return 0
  },
})
