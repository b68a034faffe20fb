import { lstatSync, renameSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../errors.ts'
import { randomUuid } from './random.ts'

/**
 * Takes an entry that does not belong there out of a mission's run directory, without following links. A directory is
 * moved, because it may have content. Returns false if the entry stays where it is.
 */
export function setAside(run: string, path: string): boolean {
  try {
    if (lstatSync(path).isDirectory()) renameSync(path, join(run, `rejected-${randomUuid()}`))
    else unlinkSync(path)
    return true
  } catch (error) {
    return errorCode(error) === 'ENOENT'
  }
}
