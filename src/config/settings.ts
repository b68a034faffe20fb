import * as v from 'valibot'
import { usageError } from '../errors.ts'
import { nearest } from '../io/nearest.ts'
import { wholeRepoName } from './repo-names.ts'
import { configSchema } from './schema.ts'

type Schema = v.GenericSchema & {
  type: string
  wrapped?: Schema
  entries?: Record<string, Schema>
  rest?: Schema
  pipe?: readonly unknown[]
}

export interface Setting {
  /** `claude.model`; in the list of all settings, `repos.*.model`. */
  key: string
  path: readonly string[]
  schema: v.GenericSchema
  description: string
}

/** All settings. `*` takes the place of a repo. */
export const settings: readonly Setting[] = collect(configSchema as unknown as Schema, [])

function collect(schema: Schema, path: string[]): Setting[] {
  const inner = unwrap(schema)
  if (inner.entries) {
    const named = Object.entries(inner.entries)
      .filter(([name]) => name !== '$schema')
      .flatMap(([name, child]) => collect(child, [...path, name]))
    return inner.rest ? [...named, ...collect(inner.rest, [...path, '*'])] : named
  }
  return [{ key: path.join('.'), path, schema, description: descriptionOf(inner) }]
}

function unwrap(schema: Schema): Schema {
  return schema.wrapped ? unwrap(schema.wrapped) : schema
}

function descriptionOf(schema: Schema): string {
  for (const step of schema.pipe ?? []) {
    const action = step as { type?: string; description?: string }
    if (action.type === 'description') return action.description ?? ''
  }
  return ''
}

/** In a key, the part between `repos.` and the last dot is the repo, dots and slashes included. */
export function splitKey(key: string): string[] {
  if (!key.startsWith('repos.')) return key.split('.')
  const lastDot = key.lastIndexOf('.')
  const repo = key.slice('repos.'.length, lastDot)
  return repo === '' || lastDot < 'repos.'.length
    ? ['repos', key.slice(6)]
    : ['repos', repo, key.slice(lastDot + 1)]
}

/** Lists the repos that a user may have meant by a part of a name. */
export type KnownRepos = () => readonly string[] | Promise<readonly string[]>

/** The setting that a user named. For an unknown name, throws an error that suggests the nearest one. */
export async function findSetting(key: string, knownRepos: KnownRepos): Promise<Setting> {
  const [, repo = '', name] = splitKey(key)
  const setting = settingNamed(key)
  // A setting under a part of a repo's name would be stored, but never found again.
  if (setting.path[0] !== 'repos' || name === undefined || wholeRepoName.test(repo)) return setting
  throw usageError(
    `${JSON.stringify(repo)} is not a full repo name`,
    suggestRepoKey(repo, await knownRepos(), whole => `repos.${whole}.${name}`),
  )
}

/** Like `findSetting`, but for keys that agenc itself has written. */
export function settingNamed(key: string): Setting {
  const path = splitKey(key)
  const isPerRepo = path[0] === 'repos' && path.length === 3
  const pattern = isPerRepo ? ['repos', '*', path[2]] : path
  const found = settings.find(setting => setting.key === pattern.join('.'))
  if (found) return { ...found, key, path }
  throw usageError(`unknown setting ${JSON.stringify(key)}`, suggestKey(key, isPerRepo ? path[1]! : null))
}

function suggestKey(key: string, repo: string | null): string {
  const names = settings.map(setting => (repo === null ? setting.key : setting.key.replace('*', () => repo)))
  const guess = nearest(key, names)
  return guess ? `Did you mean ${guess}?` : "Run 'agenc config ls' for the list."
}

const mostSuggestions = 3

function suggestRepoKey(part: string, repos: readonly string[], keyOf: (repo: string) => string): string {
  const wanted = part.toLowerCase()
  const ending = repos.filter(repo => repo.toLowerCase().endsWith(`/${wanted}`))
  const close = nearest(lastPart(wanted), repos.map(lastPart))
  const meant = ending.length > 0 ? ending : repos.filter(repo => lastPart(repo) === close)
  if (meant.length > 0) return `Did you mean ${meant.slice(0, mostSuggestions).map(keyOf).join(' or ')}?`
  const owned = part.split('/').length === 2 ? `github.com/${part}` : 'github.com/owner/name'
  return `Use the full name, as in ${keyOf(owned)}. 'agenc repo ls' lists your repos.`
}

function lastPart(repo: string): string {
  return repo.slice(repo.lastIndexOf('/') + 1).toLowerCase()
}

export function valueAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Record<string, unknown>)[name]
        : undefined,
    data,
  )
}

/** A value on one line: text as it is, anything else as JSON. */
export function showValue(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * The value that a user means by the words they typed. The setting decides: text as typed if it takes text, several
 * words if it takes a list, otherwise JSON (`true`, `500`, `["a","b"]`).
 */
export function valueFromWords(setting: Setting, words: readonly string[]): unknown {
  const candidates = words.length === 1 ? [words[0], ...asJson(words[0]!), [...words]] : [[...words]]
  const listFirst = words.length === 1 && words[0]!.trimStart().startsWith('[')
  const ordered = listFirst ? [...asJson(words[0]!), ...candidates] : candidates
  const fitting = ordered.find(candidate => v.safeParse(setting.schema, candidate).success)
  if (fitting !== undefined) return fitting
  if (words.length > 1) {
    throw usageError(
      `${setting.key} takes one value, not ${words.length}`,
      `If it is one value, quote it: "${words.join(' ')}".`,
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
