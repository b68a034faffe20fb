import { closeSync, existsSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { AgencError, errorCode, isAgencError, unavailableError } from '../errors.ts'
import { makePrivateDirectory } from '../io/files.ts'
import { withLock } from '../io/lock.ts'
import { migrations } from './migrations.ts'

export type { Database } from 'better-sqlite3'

const busyTimeoutMs = 5_000

/** Opens the store for writing: creates it, or brings it up to date, where needed. */
export function openStore(path: string): Promise<Database> {
  return explained(path, async () => {
    makePrivateDirectory(dirname(path))
    if (!existsSync(path)) await withLock(path, () => createEmpty(path))
    if (versionInHeader(path) !== migrations.length && versionOfStore(path) < migrations.length)
      await withLock(path, () => migrate(path), { isLong: true })
    return connect(path)
  })
}

const versionOffset = 60

/** As far as the file itself tells: an update may still be in the log beside it. Never written to by asking. */
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

/** Opens the store without writing to it, but for a migration; null where there is none yet. */
export function openStoreForReading(path: string): Promise<Database | null> {
  return explained(path, async () => {
    if (!existsSync(path)) return null
    const db = connect(path, { readonly: true })
    if (versionOf(db) === migrations.length) return db
    db.close()
    await withLock(path, () => migrate(path), { isLong: true })
    return connect(path, { readonly: true })
  })
}

/** Asked without the right to write: even closing a writer's connection may change the file. */
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
    if (isAgencError(error)) throw error
    const code = errorCode(error)
    if (code === 'ERR_DLOPEN_FAILED' || code === 'MODULE_NOT_FOUND') {
      throw unavailableError(
        'better-sqlite3 does not fit this Node, or was not built',
        'Install agenc again with the Node that runs it; in a clone: npm ci',
      )
    }
    throw new AgencError(
      `the store ${path} cannot be opened: ${(error as Error).message}`,
      'Check who owns it and its mode, or set AGENC_DIRPATH to another directory. Copies from before an update stand beside it.',
    )
  }
}

const bindingPath = join('better-sqlite3', 'build', 'Release', 'better_sqlite3.node')

/**
 * Looked for where npm puts it, below this package or beside it: better-sqlite3's own search costs 15 ms at every
 * start. Every file of ours stands two directories below the package's root.
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
      'Is it on a network file system? Set AGENC_DIRPATH to a directory on a local disk.',
    )
  }
}

function versionOf(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number
}

function refuseNewerStore(db: Database, path: string): void {
  if (versionOf(db) <= migrations.length) return
  throw new AgencError(`${path} was written by a newer agenc`, 'Update agenc; the store was not touched.')
}

function migrate(path: string): void {
  const db = connect(path)
  try {
    const version = versionOf(db)
    if (version > 0 && version < migrations.length)
      keepCopy(db, `${path}.before-${migrations[version]!.name}`)
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

/** SQLite gives its side files the mode of the file itself, whatever the umask. */
function createEmpty(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
}

function keepCopy(db: Database, copy: string): void {
  rmSync(`${copy}.tmp`, { force: true })
  createEmpty(`${copy}.tmp`)
  db.prepare('VACUUM INTO ?').run(`${copy}.tmp`)
  renameSync(`${copy}.tmp`, copy)
}
