import { renameSync } from 'node:fs'
import { errorCode } from '../errors.ts'

/** Renames the files of a store that cannot be used. Returns the new name of its main file. */
export function moveAside(path: string, now = new Date()): string {
  const aside = `${path}.lost-${now.toISOString().replace(/[:.]/g, '-')}`
  // The main file comes last: without the others, SQLite could take it for a whole store.
  for (const suffix of ['-shm', '-wal', '']) {
    try {
      renameSync(`${path}${suffix}`, `${aside}${suffix}`)
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }
  return aside
}
