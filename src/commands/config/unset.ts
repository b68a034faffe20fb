import { defineCommand, jsonOption } from '../../cli/command.ts'
import { changeConfig } from '../../config/config-file.ts'
import { findSetting } from '../../config/setting-key.ts'

export default defineCommand<{ key: string; json?: boolean }>({
  description: 'Remove one setting from the file, so that its default applies again.',
  arguments: [{ name: 'key', description: 'a setting, such as claude.model', required: true }],
  options: [jsonOption],
  examples: ['agenc config unset claude.permission_mode'],
  async run({ out, paths }, { key, json }) {
    await changeConfig(paths.config, findSetting(key), undefined)
    if (json) out.line(JSON.stringify({ key, value: null }))
    return 0
  },
})
