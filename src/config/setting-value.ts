import * as v from 'valibot'
import { usageError } from '../errors.ts'
import type { Setting } from './setting-key.ts'

export function valueAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Record<string, unknown>)[name]
        : undefined,
    data,
  )
}

/** One line for people: text as it is, anything else as JSON. */
export function showValue(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * What a user typed → the value meant. The setting says what fits: text as typed where text fits,
 * several words where a list fits, otherwise JSON (`true`, `500`, `["a","b"]`).
 */
export function valueFromWords(setting: Setting, words: readonly string[]): unknown {
  const candidates = words.length === 1 ? [words[0], ...asJson(words[0]!), [...words]] : [[...words]]
  const listFirst = words.length === 1 && words[0]!.trimStart().startsWith('[')
  const ordered = listFirst ? [...asJson(words[0]!), ...candidates] : candidates
  const fitting = ordered.find(candidate => v.safeParse(setting.schema, candidate).success)
  if (fitting !== undefined) return fitting
  if (words.length > 1) {
    throw usageError(
      `${setting.key} does not take ${words.length} values`,
      `Put it in quotes: "${words.join(' ')}".`,
    )
  }
  return asJson(words[0]!)[0] ?? words[0]
}

function asJson(word: string): unknown[] {
  try {
    return [JSON.parse(word)]
  } catch {
    return []
  }
}
