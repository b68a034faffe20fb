import { closeSync, existsSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { AgencError, adviceOnShortage, isAgencError } from '../errors.ts'
import { doesExist, makePrivateDirectory } from '../io/files.ts'
import { withLock } from '../io/lock.ts'
import { explainStoreError } from './explain-error.ts'
import { refuseLostStore } from './lost-store.ts'
import { migrations } from './migrations.ts'

export type { Database } from 'better-sqlite3'

const busyTimeoutMs = 5_000

/** How long a write waits for other processes to finish theirs. Every connection starts with the default. */
export function setPatience(db: Database, timeoutMs: number = busyTimeoutMs): void {
  db.pragma(`busy_timeout = ${timeoutMs}`)
}

/** Opens the store for writing. Creates or migrates it first if necessary. */
export function openStore(path: string): Promise<Database> {
  return explained(path, async () => {
    makePrivateDirectory(dirname(path))
    await refuseLostStore(path)
    return openOrCreate(path)
  })
}

/** Creates a store even if there are missions without one. */
export async function openOrCreate(path: string): Promise<Database> {
  if (!existsSync(path)) await withLock(path, () => createEmpty(path))
  if (versionInHeader(path) !== migrations.length && versionOfStore(path) < migrations.length)
    await withLock(path, () => migrate(path), { isLong: true })
  return connect(path)
}

const versionOffset = 60

/**
 * Reads the schema version from the database file without opening a connection. The version may be too low, because a
 * recent migration may still be in the write-ahead log.
 */
function versionInHeader(path: string): number {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(4)
    readSync(file, bytes, 0, bytes.length, versionOffset)
    return bytes.readUInt32BE()
  } finally {
    closeSync(file)
  }
}

/** Opens the store read-only, after a migration if one is due. Resolves to null if the store does not exist yet. */
export function openStoreForReading(path: string): Promise<Database | null> {
  return explained(path, async () => {
    await refuseLostStore(path)
    if (!doesExist(path)) return null
    const db = connect(path, { readonly: true })
    if (versionOf(db) === migrations.length) return db
    db.close()
    await withLock(path, () => migrate(path), { isLong: true })
    return connect(path, { readonly: true })
  })
}

/** Uses a read-only connection, because closing a writable one may change the file. */
function versionOfStore(path: string): number {
  const db = connect(path, { readonly: true })
  try {
    return versionOf(db)
  } finally {
    db.close()
  }
}

function connect(path: string, { readonly = false } = {}): Database {
  const db = new Sqlite(path, { timeout: busyTimeoutMs, readonly, nativeBinding: nativeBinding() })
  try {
    refuseNewerStore(db, path)
    if (!readonly) prepareToWrite(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function prepareToWrite(db: Database): void {
  if (db.pragma('journal_mode', { simple: true }) !== 'wal') db.pragma('journal_mode = WAL')
  db.pragma('foreign_keys = ON')
  db.pragma('synchronous = NORMAL')
  assertPragma(db, 'foreign_keys', 1)
  assertPragma(db, 'busy_timeout', busyTimeoutMs)
  assertPragma(db, 'journal_mode', 'wal')
}

async function explained<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const known = explainStoreError(path, error)
    if (isAgencError(known)) throw known
    throw new AgencError(
      `cannot open the store ${path}: ${(error as Error).message}`,
      adviceOnShortage(error) ??
        'Check its owner and permissions, or set AGENC_DIRPATH to another directory. Backups from before each update are next to it.',
    )
  }
}

const bindingPath = join('better-sqlite3', 'build', 'Release', 'better_sqlite3.node')

/**
 * Finds the native module where npm installs it, below this package or next to it. better-sqlite3's own search takes
 * 15 ms at every start. Every file of the built program is two directories below the package's root.
 */
function nativeBinding(): string {
  const root = join(dirname(import.meta.filename), '..', '..')
  const usual = [join(root, 'node_modules', bindingPath), join(root, '..', bindingPath)].find(existsSync)
  if (usual !== undefined) return usual
  const { createRequire } = process.getBuiltinModule('node:module')
  const packageJson = createRequire(import.meta.filename).resolve('better-sqlite3/package.json')
  return join(dirname(packageJson), '..', bindingPath)
}

function assertPragma(db: Database, name: string, expected: unknown): void {
  const actual = db.pragma(name, { simple: true })
  if (actual !== expected) {
    throw new AgencError(
      `the store cannot be used: ${name} is ${actual}, not ${expected}`,
      'The store may be on a network file system. Set AGENC_DIRPATH to a directory on a local disk.',
    )
  }
}

function versionOf(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number
}

function refuseNewerStore(db: Database, path: string): void {
  if (versionOf(db) <= migrations.length) return
  throw new AgencError(`${path} was written by a newer agenc`, 'Update agenc. The store was not changed.')
}

function migrate(path: string): void {
  const db = connect(path)
  try {
    const version = versionOf(db)
    if (version > 0 && version < migrations.length)
      copyStore(db, `${path}.before-${migrations[version]!.name}`)
    db.transaction(() => {
      for (const { name, apply } of migrations.slice(versionOf(db))) {
        apply(db)
        db.prepare('INSERT INTO migrations (name, applied_at) VALUES (?, ?)').run(
          name,
          new Date().toISOString(),
        )
      }
      db.pragma(`user_version = ${migrations.length}`)
    }).immediate()
  } finally {
    db.close()
  }
}

/** SQLite creates its -wal and -shm files with this file's permissions, regardless of the umask. */
function createEmpty(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
}

export function copyStore(db: Database, copy: string): void {
  rmSync(`${copy}.tmp`, { force: true })
  createEmpty(`${copy}.tmp`)
  db.prepare('VACUUM INTO ?').run(`${copy}.tmp`)
  renameSync(`${copy}.tmp`, copy)
}
