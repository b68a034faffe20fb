import { toJsonSchema } from '@valibot/to-json-schema'
import { configSchema } from './schema.ts'

/** What schema/config.schema.json must hold; scripts/generate.ts writes it and a test compares. */
export function configJsonSchema(): object {
  const { $schema, ...schema } = toJsonSchema(configSchema, { typeMode: 'input' })
  return { $schema, title: 'agenc settings', ...schema }
}
