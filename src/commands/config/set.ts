import { defineCommand, jsonOption } from '../../cli/command.ts'
import { findSetting, valueFromWords } from '../../config/settings.ts'
import { changeConfig } from '../../config/write.ts'
import { checkMode, checkModeSetting } from '../../mission/check-mode.ts'
import { knownRepoIds } from '../../repo/catalogue.ts'

export default defineCommand<{ key: string; value: string[]; force?: boolean; json?: boolean }>({
  description: 'Change one setting. A list takes several values, or one JSON array.',
  arguments: [
    { name: 'key', description: 'a setting, such as claude.model', required: true },
    { name: 'value', description: 'its new value', required: true, variadic: true },
  ],
  options: [
    { flags: '--force', description: 'take a permission mode that Claude does not list' },
    jsonOption,
  ],
  examples: [
    'agenc config set claude.permission_mode plan',
    'agenc config set claude.allowed_tools Read "Bash(git *)"',
    'agenc config set claude.args -- --verbose',
  ],
  async run(context, { key, value: words, force, json }) {
    const setting = await findSetting(key, () => knownRepoIds(context))
    const value = valueFromWords(setting, words)
    if (setting.path.at(-1) === 'permission_mode' && typeof value === 'string') {
      if (force) await checkMode(context, value)
      else await checkModeSetting(context, key, value)
    }
    await changeConfig(context.paths, [[setting, value]])
    if (json) context.out.line(JSON.stringify({ key, value }))
    return 0
  },
})
