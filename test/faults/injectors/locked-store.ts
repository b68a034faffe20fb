import Sqlite from 'better-sqlite3'
import { onTestFinished } from 'vitest'

/** Locks the store, so that no other process can write to it, until the returned function is called. */
export function lockStore(path: string): () => void {
  const db = new Sqlite(path)
  onTestFinished(() => void db.close())
  db.exec('BEGIN IMMEDIATE')
  return () => void db.exec('ROLLBACK')
}
