import { findSetting, settings } from '../config/key.ts'
import type { Context } from '../context.ts'
import { listRepos } from '../db/repos.ts'
import { readStore } from '../db/store.ts'
import type { Candidate } from './tree.ts'

export async function keys(context: Context): Promise<Candidate[]> {
  const repos = await readStore(context, db => (db ? listRepos(db).map(({ id }) => id) : []))
  return settings.flatMap(({ key, description }) => {
    const names = key.includes('*') ? repos.map(repo => key.replace('*', () => repo)) : [key]
    return names.map(value => ({ value, description }))
  })
}

interface Shape {
  type: string
  wrapped?: Shape
  options?: readonly unknown[]
}

/** The words that a setting takes, where it takes only certain ones. */
export async function valuesOf(key: string): Promise<Candidate[]> {
  if (/permission_mode$/.test(key)) {
    const { permissionModes } = await import('../mission/modes.ts')
    return permissionModes.map(({ name, meaning }) => ({ value: name, description: meaning }))
  }
  const words = wordsOf(shapeOf(key))
  return words.map(value => ({ value, description: '' }))
}

function shapeOf(key: string): Shape | null {
  try {
    return findSetting(key).schema as unknown as Shape
  } catch {
    return null
  }
}

function wordsOf(shape: Shape | null): string[] {
  if (shape === null) return []
  if (shape.wrapped) return wordsOf(shape.wrapped)
  if (shape.type === 'boolean') return ['true', 'false']
  return shape.type === 'picklist' ? (shape.options ?? []).map(String) : []
}
