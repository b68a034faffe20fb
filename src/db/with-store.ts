import type { Context } from '../context.ts'
import { explainStoreError } from './explain-error.ts'
import type { Database } from './open-store.ts'
import { openStore, openStoreForReading } from './open-store.ts'

export async function withStore<T>(context: Context, work: (db: Database) => T | Promise<T>): Promise<T> {
  const db = await openStore(context.paths.database)
  try {
    return await work(db)
  } catch (error) {
    throw explainStoreError(context.paths.database, error)
  } finally {
    db.close()
  }
}

/** Passes null to `work` if the store does not exist yet. */
export async function readStore<T>(
  context: Context,
  work: (db: Database | null) => T | Promise<T>,
): Promise<T> {
  const db = await openStoreForReading(context.paths.database)
  try {
    return await work(db)
  } catch (error) {
    throw explainStoreError(context.paths.database, error)
  } finally {
    db?.close()
  }
}
