import { applyEdits } from 'jsonc-parser'
import { withLock } from '../io/lock.ts'
import { brokenConfig, editsFor, emptyConfig, replaceConfig } from './config-file.ts'
import { readConfigText } from './config-text.ts'
import { parseConfig } from './parse.ts'
import { findSetting } from './setting-key.ts'

/** A setting's new value; `undefined` goes back to the default. */
export type Change = readonly [key: string, value: unknown]

/** All of them in one write, or none; afterwards the file is there in any case. */
export async function changeSettings(path: string, changes: readonly Change[]): Promise<void> {
  await withLock(path, () => {
    const before = readConfigText(path)
    const after = changes.reduce(apply, before ?? emptyConfig)
    const parsed = parseConfig(after)
    if (!parsed.ok) throw brokenConfig(path, parsed.problem)
    if (after !== before) replaceConfig(path, after)
  })
}

function apply(text: string, [key, value]: Change): string {
  return applyEdits(text, editsFor(text, findSetting(key), value))
}
