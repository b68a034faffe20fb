import { toJsonSchema } from '@valibot/to-json-schema'
import { parse } from 'valibot'
import { wholeRepoName } from '../../src/config/repo-names.ts'
import { configSchema } from '../../src/config/schema.ts'
import { settings, valueAt } from '../../src/config/settings.ts'
import { commandPages } from './commands.ts'
import { commandTree } from './completion.ts'

const defaultConfig = parse(configSchema, {})

/** Every file that is generated from the code, by path. A test checks that the files in the tree match. */
export async function generatedFiles(): Promise<Record<string, string>> {
  return {
    'schema/config.schema.json': `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
    'schema/config.defaults.json': `${JSON.stringify(defaultConfig, null, 2)}\n`,
    'src/commands/command-tree.json': `${JSON.stringify(await commandTree())}\n`,
    'docs/configuration.md': configurationPage(),
    ...(await commandPages()),
  }
}

function configurationPage(): string {
  const rows = settings.map(({ key, path, description }) => {
    const value = valueAt(defaultConfig, path)
    const shown = value === undefined ? '' : `\`${JSON.stringify(value)}\``
    return `| \`${key.replace('*', '<repo>')}\` | ${shown} | ${description} |`
  })
  return `# Configuration

Settings live in \`config.json\` in agenc's home; \`agenc config path\` prints where that is. Change one with
\`agenc config set\`, or the whole file with \`agenc config edit\`, which checks it before it saves. agenc keeps a JSON
Schema beside the file, so your editor can complete and check it.

In a key, everything between \`repos.\` and the last dot is the repo: \`repos.github.com/o/r.js.model\` is the setting
\`model\` of the repo \`github.com/o/r.js\`.

| key | default | meaning |
|---|---|---|
${rows.join('\n')}

This page is generated from src/config/schema.ts by \`npm run generate\`.
`
}

function configJsonSchema(): object {
  const { $schema, ...schema } = toJsonSchema(configSchema, {
    typeMode: 'input',
    // JSON Schema has no words for them.
    ignoreActions: ['check'],
    // The only check of its own is that of the names in `repos`.
    overrideAction: ({ valibotAction, jsonSchema }) =>
      valibotAction.type === 'raw_check'
        ? {
            ...jsonSchema,
            propertyNames: { anyOf: [{ const: 'fetch_timeout' }, { pattern: wholeRepoName.source }] },
          }
        : undefined,
  })
  return { $schema, title: 'agenc settings', ...schema }
}
