import { configJsonSchema } from '../../src/config/json-schema.ts'
import { defaultConfig } from '../../src/config/parse.ts'
import { commandPages } from './commands.ts'
import { commandTree } from './completion.ts'
import { configurationPage } from './configuration.ts'

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
