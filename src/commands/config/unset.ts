import { defineCommand, jsonOption } from '../../cli/command.ts'
import { findSetting } from '../../config/settings.ts'
import { changeConfig } from '../../config/write.ts'
import { knownRepoIds } from '../../repo/catalogue.ts'

export default defineCommand<{ key: string; json?: boolean }>({
  description: 'Remove one setting from the file, so that its default applies again.',
  arguments: [{ name: 'key', description: 'a setting, such as claude.model', required: true }],
  options: [jsonOption],
  examples: ['agenc config unset claude.permission_mode'],
  async run(context, { key, json }) {
    const setting = await findSetting(key, () => knownRepoIds(context))
    await changeConfig(context.paths, [[setting, undefined]])
    if (json) context.out.line(JSON.stringify({ key, value: null }))
    return 0
  },
})
