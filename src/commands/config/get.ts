import { defineCommand, jsonOption } from '../../cli/command.ts'
import { readConfig } from '../../config/read.ts'
import { findSetting, showValue, valueAt } from '../../config/settings.ts'
import { cleanText } from '../../io/text.ts'
import { knownRepoIds } from '../../repo/catalogue.ts'

export default defineCommand<{ key: string; json?: boolean }>({
  description: 'Print one setting. If it has no value, prints an empty line, or null with --json.',
  arguments: [{ name: 'key', description: 'a setting, such as claude.model', required: true }],
  options: [jsonOption],
  examples: ['agenc config get claude.permission_mode', 'agenc config get repos.github.com/o/r.model --json'],
  async run(context, { key, json }) {
    const { out, paths } = context
    const setting = await findSetting(key, () => knownRepoIds(context))
    const value = valueAt(await readConfig(paths), setting.path)
    if (json) out.line(JSON.stringify(value ?? null))
    else out.line(out.isTerminal ? cleanText(showValue(value)) : showValue(value))
    return 0
  },
})
