import { defineCommand, jsonOption } from '../../cli/command.ts'
import { configFromText, defaultConfig, readConfigText } from '../../config/read.ts'
import { configuredRepos } from '../../config/repo-names.ts'
import type { Config } from '../../config/schema.ts'
import { type Setting, settings, showValue, valueAt } from '../../config/settings.ts'
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
  async run({ out, paths }, { json }) {
    const text = readConfigText(paths.config)
    const rows = listSettings(await configFromText(paths, text), JSON.parse(text ?? '{}'))
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

/** Settings per repo are listed only for repos that have some. */
function perRepo(setting: Setting, config: Config): Setting[] {
  if (!setting.path.includes('*')) return [setting]
  return configuredRepos(config).map(repo => ({
    ...setting,
    key: setting.key.replace('*', () => repo),
    path: setting.path.map(name => (name === '*' ? repo : name)),
  }))
}
