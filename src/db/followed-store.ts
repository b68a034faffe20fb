import { renameSync, rmSync, type Stats, statSync } from 'node:fs'
import { withLock } from '../io/lock.ts'
import { missingPart } from './lost-store.ts'
import { moveAside } from './move-aside.ts'
import { copyStore, type Database, openStore } from './open-store.ts'

/** A connection that stays open for hours. It goes on with the new file if the store is replaced meanwhile. */
export interface FollowedStore {
  db: Database
  /**
   * Resolves to true if `db` uses another file from now on. A store that was deleted is put back, because this
   * connection still has everything that was in it.
   */
  follow(): Promise<boolean>
}

export async function openFollowedStore(path: string): Promise<FollowedStore> {
  let current = await openStore(path)
  let opened = statSync(path)
  const db = new Proxy({} as Database, {
    get: (_target, name) => {
      const value = Reflect.get(current, name)
      return typeof value === 'function' ? value.bind(current) : value
    },
  })
  return {
    db,
    follow: async () => {
      if (isMissing(path, opened))
        await withLock(path, () => putBack(path, current, opened), { isLong: true })
      const now = statSync(path, { throwIfNoEntry: false })
      if (!now || now.size === 0 || isSameFile(now, opened)) return false
      const next = await openStore(path)
      // SQLite leaves the files of the new store alone when it closes a connection to a moved one.
      current.close()
      current = next
      opened = statSync(path)
      return true
    },
  }
}

function isSameFile(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev
}

function isMissing(path: string, opened: Stats): boolean {
  const now = statSync(path, { throwIfNoEntry: false })
  return !now || (isSameFile(now, opened) && now.size > 0 && missingPart(path) !== null)
}

/** Other wrappers do the same, one after the other. Only the first one finds the store missing. */
function putBack(path: string, current: Database, opened: Stats): void {
  if (!isMissing(path, opened)) return
  const copy = `${path}.rescued`
  copyStore(current, copy)
  try {
    moveAside(path)
    renameSync(copy, path)
  } catch (error) {
    rmSync(copy, { force: true })
    throw error
  }
}
