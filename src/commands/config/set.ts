import { defineCommand, jsonOption } from '../../cli/command.ts'
import { changeConfig } from '../../config/config-file.ts'
import { findSetting } from '../../config/setting-key.ts'
import { valueFromWords } from '../../config/setting-value.ts'

export default defineCommand<{ key: string; value: string[]; json?: boolean }>({
  description: 'Change one setting. A list takes several values, or one JSON array.',
  arguments: [
    { name: 'key', description: 'a setting, such as claude.model', required: true },
    { name: 'value', description: 'its new value', required: true, variadic: true },
  ],
  options: [jsonOption],
  examples: [
    'agenc config set claude.permission_mode plan',
    'agenc config set claude.allowed_tools Read "Bash(git *)"',
    'agenc config set claude.args -- --verbose',
  ],
  async run({ out, paths }, { key, value: words, json }) {
    const setting = findSetting(key)
    const value = valueFromWords(setting, words)
    await changeConfig(paths.config, setting, value)
    if (json) out.line(JSON.stringify({ key, value }))
    return 0
  },
})
