import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { listEvents, recordEvent } from '../../src/db/events.ts'
import { migrations } from '../../src/db/migrations.ts'
import { getMission, insertMission, listMissions, updateMission } from '../../src/db/missions.ts'
import { openStore, openStoreForReading } from '../../src/db/open-store.ts'
import { aMission } from '../helpers/a-mission.ts'
import { projectRoot, temporaryDirectory } from '../helpers/cli.ts'

describe('opening the store', () => {
  test('creates private files and sets the pragmas', async () => {
    const path = join(temporaryDirectory(), 'home', 'database.sqlite')
    const db = await openStore(path)
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(db.pragma('busy_timeout', { simple: true })).toBe(5000)
    expect(db.pragma('foreign_keys', { simple: true })).toBe(1)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
    db.close()
  })

  test('for reading creates nothing', async () => {
    const path = join(temporaryDirectory(), 'home', 'database.sqlite')
    expect(await openStoreForReading(path)).toBeNull()
    expect(existsSync(join(path, '..'))).toBe(false)
  })

  test('of a newer agenc is refused and changes nothing', async () => {
    const path = join(temporaryDirectory(), 'database.sqlite')
    ;(await openStore(path)).close()
    const raw = new Sqlite(path)
    raw.pragma(`user_version = ${migrations.length + 1}`)
    raw.close()
    const before = readFileSync(path)
    await expect(openStore(path)).rejects.toThrow(/written by a newer agenc/)
    await expect(openStoreForReading(path)).rejects.toThrow(/written by a newer agenc/)
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test('of an older agenc migrates it, keeps its data, and keeps a copy of the old file', async () => {
    const path = join(temporaryDirectory(), 'database.sqlite')
    const first = migrations[0]!
    const old = new Sqlite(path)
    old.pragma('journal_mode = WAL')
    first.apply(old)
    old.prepare('INSERT INTO repos VALUES (?, ?, 1, ?, ?)').run('h/o/n', 'u', 't', 't')
    old.pragma('user_version = 1')
    old.close()
    const extended = [...migrations]
    const mutable = migrations as unknown as typeof extended
    mutable.push({ name: '9999-test', apply: db => db.exec('ALTER TABLE repos ADD COLUMN extra TEXT') })
    try {
      const db = await openStore(path)
      expect(db.prepare('SELECT id, extra FROM repos').all()).toEqual([{ id: 'h/o/n', extra: null }])
      db.close()
    } finally {
      mutable.length = extended.length
    }
    const pending = extended[1]?.name ?? '9999-test'
    const copy = new Sqlite(`${path}.before-${pending}`, { readonly: true })
    expect(copy.pragma('user_version', { simple: true })).toBe(1)
    expect(copy.prepare('SELECT id FROM repos').all()).toEqual([{ id: 'h/o/n' }])
    expect(statSync(`${path}.before-${pending}`).mode & 0o777).toBe(0o600)
    copy.close()
  })

  test('runs migrations that only add', () => {
    for (const { name, apply } of migrations) {
      expect(apply.toString(), name).not.toMatch(/\b(DROP|RENAME|DELETE FROM|UPDATE missions)\b/)
    }
  })
})

describe('missions and events', () => {
  test('are stored, changed, listed by activity and removed together', async () => {
    const db = await openStore(join(temporaryDirectory(), 'database.sqlite'))
    const [older, newer] = [aMission(), aMission()]
    insertMission(db, older)
    insertMission(db, newer)
    updateMission(db, older.id, { last_active_at: '2999-01-01T00:00:00.000Z', state: 'idle' })
    recordEvent(db, older.id, '2026-01-01T00:00:00.000Z', 'created', { by: 'test' })
    expect(listMissions(db).map(({ id }) => id)).toEqual([older.id, newer.id])
    expect(getMission(db, older.id)).toMatchObject({ state: 'idle', session_id: older.id, session_begun: 0 })
    expect(listEvents(db, older.id)).toMatchObject([{ kind: 'created', data: { by: 'test' } }])
    db.prepare('DELETE FROM missions WHERE id = ?').run(older.id)
    expect(listEvents(db, older.id)).toEqual([])
    db.close()
  })
})

test('twenty processes that write at once lose nothing', { timeout: 60_000 }, async () => {
  const directory = temporaryDirectory()
  const script = join(directory, 'writer.cjs')
  await build({
    entryPoints: [join(projectRoot, 'test', 'helpers', 'store-writer.ts')],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    define: { 'import.meta.filename': '__filename' },
    alias: { 'better-sqlite3': join(projectRoot, 'node_modules', 'better-sqlite3') },
    logLevel: 'error',
  })
  const path = join(directory, 'home', 'database.sqlite')
  const writers = Array.from({ length: 20 }, () => {
    const child = spawn(process.execPath, [script, path, '25'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, NODE_PATH: join(projectRoot, 'node_modules'), NODE_EXTRA_CA_CERTS: '' },
    })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', text => {
      stderr += text
    })
    return once(child, 'close').then(([code]) => ({ code, stderr }))
  })
  expect(await Promise.all(writers)).toEqual(Array.from({ length: 20 }, () => ({ code: 0, stderr: '' })))
  const db = await openStore(path)
  expect(db.prepare('SELECT count(*) AS n FROM missions').get()).toEqual({ n: 20 })
  expect(db.prepare('SELECT count(*) AS n FROM events').get()).toEqual({ n: 500 })
  db.close()
})
