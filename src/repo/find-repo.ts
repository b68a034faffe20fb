import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AgencError } from '../errors.ts'
import type { RepoId } from './repo-id.ts'

/** The id under which the library has this repo already; letter case does not tell repos apart. */
export function findInLibrary(reposDir: string, id: RepoId): RepoId | undefined {
  let found: string[] = []
  for (const segment of id.split('/')) {
    const directory = join(reposDir, ...found)
    if (found.length > 0 && isRepo(directory)) throw nested(id, found.join('/'))
    const entries = existsSync(directory) ? readdirSync(directory) : []
    const match =
      entries.find(entry => entry === segment) ??
      entries.find(entry => entry.toLowerCase() === segment.toLowerCase())
    if (match === undefined) return undefined
    found = [...found, match]
  }
  if (!isRepo(join(reposDir, ...found))) throw nested(found.join('/'), id)
  return found.join('/') as RepoId
}

function isRepo(directory: string): boolean {
  return existsSync(join(directory, 'HEAD')) && existsSync(join(directory, 'objects'))
}

function nested(inner: string, outer: string): AgencError {
  return new AgencError(
    `${inner} and ${outer} cannot both be in the library`,
    'One is a directory of the other.',
  )
}
