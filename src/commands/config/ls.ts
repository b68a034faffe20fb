import { defineCommand, jsonOption } from '../../cli/command.ts'
import { loadConfig } from '../../config/config-file.ts'
import { readConfigText } from '../../config/config-text.ts'
import { defaultConfig } from '../../config/parse.ts'
import type { Config } from '../../config/schema.ts'
import { type Setting, settings } from '../../config/setting-key.ts'
import { showValue, valueAt } from '../../config/setting-value.ts'
import { printTable } from '../../io/table.ts'
import { cleanText } from '../../io/text.ts'

interface Row {
  key: string
  value: unknown
  default: unknown
  source: 'file' | 'default'
  description: string
}

export default defineCommand<{ json?: boolean }>({
  description: 'List all settings with their values. A mark shows those you have set.',
  options: [jsonOption],
  examples: ['agenc config ls', 'agenc config ls --json'],
  run({ out, paths }, { json }) {
    const rows = listSettings(loadConfig(paths.config), JSON.parse(readConfigText(paths.config) ?? '{}'))
    if (json) {
      out.line(JSON.stringify(rows))
      return 0
    }
    printTable(out, [
      { title: 'KEY', cells: rows.map(row => row.key) },
      { title: 'VALUE', cells: rows.map(row => cleanText(showValue(row.value))), shrinks: true },
      { title: '', cells: rows.map(row => (row.source === 'file' ? '*' : '')) },
      { title: 'MEANING', cells: rows.map(row => row.description), shrinks: true },
    ])
    return 0
  },
})

function listSettings(config: Config, file: unknown): Row[] {
  return settings
    .flatMap(setting => perRepo(setting, config))
    .map(({ key, path, description }) => ({
      key,
      value: valueAt(config, path) ?? null,
      default: valueAt(defaultConfig, path) ?? null,
      source: valueAt(file, path) === undefined ? 'default' : 'file',
      description,
    }))
}

/** Settings of a repo are listed for the repos that have any. */
function perRepo(setting: Setting, config: Config): Setting[] {
  if (!setting.path.includes('*')) return [setting]
  return Object.keys(config.repos).map(repo => ({
    ...setting,
    key: setting.key.replace('*', () => repo),
    path: setting.path.map(name => (name === '*' ? repo : name)),
  }))
}
