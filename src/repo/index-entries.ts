import { createHash } from 'node:crypto'
import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

export interface IndexEntry {
  mode: string
  object: string
  path: string
  /** Marked skip-worktree or assume-unchanged: `git status` does not look at the file. */
  isHidden: boolean
}

export const submoduleMode = '160000'

/** Submodules and hidden files out of what `git ls-files -v --stage -z` prints. */
export function notableEntries(listed: string): IndexEntry[] {
  return listed
    .split('\0')
    .filter(entry => /^[Sa-z] /.test(entry) || entry.startsWith(submoduleMode, 2))
    .map(entry => {
      const [tag, mode, object] = entry.split(' ', 3)
      const path = entry.slice(entry.indexOf('\t') + 1)
      return { mode: mode!, object: object!, path, isHidden: tag === 'S' || tag !== tag!.toUpperCase() }
    })
}

/** Files that are on the disk but not as in the index; in a sparse checkout most are not there at all. */
export function hiddenChanges(root: string, entries: readonly IndexEntry[]): string[] {
  return entries
    .filter(({ isHidden, mode }) => isHidden && mode !== submoduleMode)
    .filter(({ path, object }) => isThereAndNot(object, join(root, path)))
    .map(({ path }) => path)
}

/** By the id that git would give the file. Conversions of line ends are not looked at. */
function isThereAndNot(object: string, path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return false
  if (!found.isFile() && !found.isSymbolicLink()) return true
  const content = found.isFile() ? readFileSync(path) : readlinkSync(path, 'buffer')
  const hash = createHash(object.length === 40 ? 'sha1' : 'sha256')
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex') !== object
}
