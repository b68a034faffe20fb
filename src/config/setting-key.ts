import type * as v from 'valibot'
import { usageError } from '../errors.ts'
import { nearest } from '../io/nearest.ts'
import { configSchema, wholeRepoName } from './schema.ts'

type Schema = v.GenericSchema & {
  type: string
  wrapped?: Schema
  entries?: Record<string, Schema>
  value?: Schema
  pipe?: readonly unknown[]
}

export interface Setting {
  /** `claude.model`, or `repos.*.model` in lists of what exists. */
  key: string
  path: readonly string[]
  schema: v.GenericSchema
  description: string
}

/** Every setting there is; the repo's name is `*`. */
export const settings: readonly Setting[] = collect(configSchema as unknown as Schema, [])

function collect(schema: Schema, path: string[]): Setting[] {
  const inner = unwrap(schema)
  if (inner.type === 'strict_object') {
    return Object.entries(inner.entries ?? {})
      .filter(([name]) => name !== '$schema')
      .flatMap(([name, child]) => collect(child, [...path, name]))
  }
  if (inner.type === 'record' && inner.value) return collect(inner.value, [...path, '*'])
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

/** In a key, what follows `repos.` up to the last dot is the repo, dots and slashes included. */
export function splitKey(key: string): string[] {
  if (!key.startsWith('repos.')) return key.split('.')
  const lastDot = key.lastIndexOf('.')
  const repo = key.slice('repos.'.length, lastDot)
  return repo === '' || lastDot < 'repos.'.length
    ? ['repos', key.slice(6)]
    : ['repos', repo, key.slice(lastDot + 1)]
}

/** The setting a user named, with its real path; unknown names are an error with the nearest one. */
export function findSetting(key: string): Setting {
  const path = splitKey(key)
  const pattern = path[0] === 'repos' && path.length === 3 ? ['repos', '*', path[2]] : path
  const found = settings.find(setting => setting.key === pattern.join('.'))
  if (found && pattern[1] === '*') refusePartOfRepoName(path)
  if (found) return { ...found, key, path }
  throw usageError(`unknown setting ${JSON.stringify(key)}`, suggestion(key, path))
}

/** It would be stored and never looked up. */
function refusePartOfRepoName([, repo = '', name]: readonly string[]): void {
  if (wholeRepoName.test(repo)) return
  const whole = repo.includes('/') ? `github.com/${repo}` : 'github.com/owner/name'
  throw usageError(`${JSON.stringify(repo)} is not a whole repo name`, `Did you mean repos.${whole}.${name}?`)
}

function suggestion(key: string, path: readonly string[]): string {
  const names = settings.map(setting =>
    path[0] === 'repos' && path.length === 3 ? setting.key.replace('*', () => path[1] ?? '*') : setting.key,
  )
  const guess = nearest(key, names)
  return guess ? `Did you mean ${guess}?` : "Run 'agenc config ls' for the list."
}
