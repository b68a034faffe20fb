import { dirname, join } from 'node:path'
import { applyEdits, type Edit, findNodeAtLocation, modify, parseTree } from 'jsonc-parser'
import * as v from 'valibot'
import publishedSchema from '../../schema/config.schema.json' with { type: 'json' }
import { type AgencError, configError, usageError } from '../errors.ts'
import { writeFileAtomically } from '../io/files.ts'
import { withLock } from '../io/lock.ts'
import { keepPrepared } from './cache.ts'
import { readConfigText } from './config-text.ts'
import { describeIssue } from './describe-issue.ts'
import { defaultConfig, type Problem, parseConfig } from './parse.ts'
import type { Config } from './schema.ts'
import type { Setting } from './setting-key.ts'

export function loadConfig(path: string): Config {
  const text = readConfigText(path)
  return text === null ? defaultConfig : checkedConfig(path, text)
}

export function checkedConfig(path: string, text: string): Config {
  const parsed = parseConfig(text)
  if (!parsed.ok) throw brokenConfig(path, parsed.problem)
  return parsed.config
}

export function brokenConfig(path: string, problem: Problem): AgencError {
  const key = problem.key ? ` ${problem.key}:` : ''
  return configError(`${path}:${problem.line}:${key} ${problem.message}`, "Mend it with 'agenc config edit'.")
}

/** Changes one value, or with `undefined` removes it, and leaves every other byte as it is. */
export async function changeConfig(path: string, setting: Setting, value: unknown): Promise<void> {
  if (value !== undefined) checkValue(setting, value)
  await withLock(path, () => {
    const text = readConfigText(path) ?? emptyConfig
    const before = parseConfig(text)
    if (!before.ok) throw brokenConfig(path, before.problem)
    const edits = editsFor(text, setting, value)
    if (edits.length > 0) replaceConfig(path, applyEdits(text, edits))
  })
}

/** `undefined` removes the value. jsonc-parser throws where there is not even a section to remove it from. */
export function editsFor(text: string, { path }: Setting, value: unknown): Edit[] {
  const root = value === undefined ? parseTree(text) : undefined
  if (value === undefined && !(root && findNodeAtLocation(root, [...path]))) return []
  return modify(text, [...path], value, { formattingOptions: { insertSpaces: true, tabSize: 2 } })
}

const schemaName = 'config.schema.json'
const preparedName = 'config.prepared.json'

/** Editors complete and check the file by the schema, which is kept beside it so that it always fits. */
export const emptyConfig = `${JSON.stringify({ $schema: `./${schemaName}` }, null, 2)}\n`

/** Begins the name of the directory in which 'config edit' keeps its copy until it is saved. */
export const editPrefix = 'edit-'

export function replaceConfig(path: string, text: string): void {
  writeSchemaInto(dirname(path))
  writeFileAtomically(path, text, { durable: true })
  prepareConfig(path)
}

/** Where somebody else wrote the file, the session does this when it is attached to. */
export function prepareConfig(path: string): void {
  const text = readConfigText(path)
  const parsed = text === null ? null : parseConfig(text)
  if (parsed?.ok) keepPrepared(join(dirname(path), preparedName), text!, parsed.config)
}

export function writeSchemaInto(directory: string): void {
  writeFileAtomically(join(directory, schemaName), `${JSON.stringify(publishedSchema, null, 2)}\n`)
}

function checkValue(setting: Setting, value: unknown): void {
  const result = v.safeParse(setting.schema, value)
  if (result.success) return
  const issue = result.issues[0]
  const place = [setting.key, ...(issue.path ?? []).map(item => String(item.key))].join('.')
  throw usageError(`${place} ${describeIssue(issue)}`, `${setting.key}: ${setting.description}.`)
}
