import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { configSchema } from '../../src/config/schema.ts'
import { commandPages } from './commands.ts'
import { completionTree } from './completion.ts'
import { configurationPage } from './configuration.ts'
import { helpPages } from './help.ts'

/** Every file that is written from the code, by path; a test holds the tree to it. */
export async function generatedFiles(): Promise<Record<string, string>> {
  return {
    'schema/config.schema.json': `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
    'schema/config.defaults.json': `${JSON.stringify(v.parse(configSchema, {}), null, 2)}\n`,
    'src/cli/help/pages.json': `${JSON.stringify(await helpPages(), null, 2)}\n`,
    'src/cli/completion/tree.json': `${JSON.stringify(await completionTree())}\n`,
    'docs/configuration.md': configurationPage(),
    ...(await commandPages()),
  }
}

function configJsonSchema(): object {
  const { $schema, ...schema } = toJsonSchema(configSchema, { typeMode: 'input' })
  return { $schema, title: 'agenc settings', ...schema }
}
