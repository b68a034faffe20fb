import { dirname, join } from 'node:path'
import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser'
import * as v from 'valibot'
import publishedSchema from '../../schema/config.schema.json' with { type: 'json' }
import { usageError } from '../errors.ts'
import { sweepDrafts, writeFileAtomically } from '../io/files.ts'
import { withLock } from '../io/lock.ts'
import type { Paths } from '../paths.ts'
import { checkedConfig, describeIssue } from './check.ts'
import { cacheConfig, readConfigText } from './read.ts'
import type { Config } from './schema.ts'
import type { Setting } from './settings.ts'

/** A setting's new value; `undefined` removes the setting from the file, so that its default applies again. */
export type Change = readonly [setting: Setting, value: unknown]

/**
 * Makes all changes in one write, or none of them, and leaves every other byte as it is. A missing file is created
 * if anything changes; `create` creates it in any case.
 */
export async function changeConfig(
  paths: Paths,
  changes: readonly Change[],
  { create = false } = {},
): Promise<void> {
  for (const [setting, value] of changes) if (value !== undefined) checkValue(setting, value)
  await editConfig(paths, text => changes.reduce(applyChange, text), { create })
}

/** Edits the text of config.json while no other process does. `edit` also gets the settings in it, and may throw. */
export async function editConfig(
  paths: Paths,
  edit: (text: string, config: Config) => string,
  { create = false } = {},
): Promise<void> {
  await withLock(paths.config, () => {
    const stored = readConfigText(paths.config)
    const before = stored ?? emptyConfig
    // A file with a mistake in it is not edited: the edit could land in the wrong place.
    const after = edit(before, checkedConfig(paths.config, before))
    if (after !== before || (create && stored === null)) replaceConfig(paths, after)
  })
}

/** Throws if the text is not valid. The caller must hold the lock. */
export function replaceConfig(paths: Paths, text: string): void {
  const config = checkedConfig(paths.config, text)
  sweepDrafts(paths.config)
  writeSchemaInto(dirname(paths.config))
  writeFileAtomically(paths.config, text, { durable: true })
  cacheConfig(paths, text, config)
}

function applyChange(text: string, [{ path }, value]: Change): string {
  // jsonc-parser throws if the section of a value to remove does not exist.
  if (value === undefined && !hasValueAt(text, path)) return text
  return withValueAt(text, path, value)
}

/** `undefined` removes the value. In a list, the index -1 appends it. */
export function withValueAt(text: string, path: readonly (string | number)[], value: unknown): string {
  const formattingOptions = { insertSpaces: true, tabSize: 2 }
  return applyEdits(text, modify(text, [...path], value, { formattingOptions }))
}

function hasValueAt(text: string, path: readonly string[]): boolean {
  const root = parseTree(text)
  return root !== undefined && findNodeAtLocation(root, [...path]) !== undefined
}

function checkValue(setting: Setting, value: unknown): void {
  const result = v.safeParse(setting.schema, value)
  if (result.success) return
  const issue = result.issues[0]
  const place = [setting.key, ...(issue.path ?? []).map(item => String(item.key))].join('.')
  throw usageError(`${place} ${describeIssue(issue)}`, `${setting.key}: ${setting.description}.`)
}

const schemaName = 'config.schema.json'

/** Editors complete and check config.json by the schema beside it, which always belongs to this version of agenc. */
export const emptyConfig = `${JSON.stringify({ $schema: `./${schemaName}` }, null, 2)}\n`

export function writeSchemaInto(directory: string): void {
  writeFileAtomically(join(directory, schemaName), `${JSON.stringify(publishedSchema, null, 2)}\n`)
}

/** The prefix of the directory in which 'config edit' keeps its copy until the copy is saved. */
export const editPrefix = 'edit-'
