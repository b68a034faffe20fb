import { lstatSync, rmdirSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode } from '../errors.ts'

/** Those of the files that git is about to add that are not there yet. Any others are not git's. */
export function notThereYet(root: string, paths: readonly string[]): string[] {
  return paths.filter(path => !isThere(join(root, path)))
}

/** A file in place of a directory above counts as nothing. */
function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')
  }
}

/** Removes what a git that was cut off has added: it would be in the way the next time. */
export function removeAdded(root: string, paths: readonly string[]): void {
  for (const path of paths.filter(path => !isBehindLink(root, path))) {
    attempt(() => unlinkSync(join(root, path)))
    let above = dirname(path)
    while (above !== '.' && attempt(() => rmdirSync(join(root, above)))) above = dirname(above)
  }
}

/** git writes nothing through a link, so what is there is not git's. */
function isBehindLink(root: string, path: string): boolean {
  const parts = dirname(path).split('/')
  const above = parts.map((_, index) => join(root, ...parts.slice(0, index + 1)))
  return above.some(place => lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink())
}

function attempt(removal: () => void): boolean {
  try {
    removal()
    return true
  } catch {
    return false
  }
}
