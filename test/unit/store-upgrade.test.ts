import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import { listEvents, recordEvent } from '../../src/db/events.ts'
import { type Migration, migrations } from '../../src/db/migrations.ts'
import { getMission, insertMission, updateMission } from '../../src/db/missions.ts'
import { openStore, openStoreForReading } from '../../src/db/open-store.ts'
import { aMission } from '../helpers/a-mission.ts'
import { temporaryDirectory } from '../helpers/cli.ts'

const list = migrations as Migration[]
const released = list.length

/** Makes this process the next version of agenc, which has one migration more. */
function becomeNextVersion(): void {
  list.push({
    name: '9999-next',
    apply: db =>
      db.exec(`ALTER TABLE missions ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue';
               ALTER TABLE events ADD COLUMN weight INTEGER;
               CREATE TABLE notes (id INTEGER PRIMARY KEY, mission_id TEXT REFERENCES missions (id)) STRICT;`),
  })
}

afterEach(() => {
  list.length = released
})

/** The contents of every file in the store's directory. */
function bytes(directory: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(directory).map(name => [name, readFileSync(join(directory, name)).toString('base64')]),
  )
}

test('a wrapper of the previous version goes on working after an upgrade', async () => {
  const path = join(temporaryDirectory(), 'database.sqlite')
  const wrapper = await openStore(path)
  const mission = aMission()
  insertMission(wrapper, mission)

  becomeNextVersion()
  const next = await openStore(path)
  expect(next.prepare('SELECT colour FROM missions').all()).toEqual([{ colour: 'blue' }])

  updateMission(wrapper, mission.id, { state: 'busy', last_active_at: '2999-01-01T00:00:00.000Z' })
  recordEvent(wrapper, mission.id, '2999-01-01T00:00:00.000Z', 'busy')
  insertMission(wrapper, aMission())
  expect(getMission(wrapper, mission.id)).toMatchObject({ state: 'busy' })
  expect(listEvents(next, mission.id)).toMatchObject([{ kind: 'busy' }])
  expect(getMission(next, mission.id)).toMatchObject({ state: 'busy', colour: 'blue' })
  wrapper.close()
  next.close()
})

test('opening for reading migrates the store too', async () => {
  const path = join(temporaryDirectory(), 'database.sqlite')
  ;(await openStore(path)).close()
  becomeNextVersion()
  const db = await openStoreForReading(path)
  expect(db?.pragma('user_version', { simple: true })).toBe(released + 1)
  expect(() => db?.exec('DELETE FROM missions')).toThrow(/readonly/)
  db?.close()
})

test('ten processes that start at once after an upgrade migrate once', async () => {
  const path = join(temporaryDirectory(), 'database.sqlite')
  ;(await openStore(path)).close()
  becomeNextVersion()
  const opened = await Promise.all(Array.from({ length: 10 }, () => openStore(path)))
  expect(opened[0]!.prepare("SELECT count(*) AS n FROM migrations WHERE name = '9999-next'").get()).toEqual({
    n: 1,
  })
  for (const db of opened) db.close()
})

test('a failed migration changes nothing', async () => {
  const path = join(temporaryDirectory(), 'database.sqlite')
  ;(await openStore(path)).close()
  list.push({
    name: '9999-broken',
    apply: db => {
      db.exec('CREATE TABLE half (x) ')
      throw new Error('no room')
    },
  })
  await expect(openStore(path)).rejects.toThrow('no room')
  list.length = released
  const db = await openStore(path)
  expect(db.prepare("SELECT name FROM sqlite_master WHERE name = 'half'").all()).toEqual([])
  db.close()
})

test('a newer store is refused without changing a byte', async () => {
  const directory = temporaryDirectory()
  const path = join(directory, 'database.sqlite')
  const newer = new Sqlite(path)
  newer.exec('CREATE TABLE unheard_of (x)')
  newer.pragma(`user_version = ${released + 7}`)
  newer.close()
  const before = bytes(directory)
  await expect(openStore(path)).rejects.toMatchObject({
    message: `${path} was written by a newer agenc`,
    hint: expect.stringContaining('Update agenc'),
  })
  await expect(openStoreForReading(path)).rejects.toThrow(/newer agenc/)
  expect(bytes(directory)).toEqual(before)
})

test('a file that is not a database is named in the error and left as it is', async () => {
  const directory = temporaryDirectory()
  const path = join(directory, 'database.sqlite')
  writeFileSync(path, 'this is not a database, but it may be needed')
  const before = bytes(directory)
  for (const open of [openStore, openStoreForReading]) {
    await expect(open(path)).rejects.toThrow(`${path}: it is damaged (file is not a database)`)
  }
  expect(bytes(directory)).toEqual(before)
})

test.each([
  ['a file where the home should be', '', 'EEXIST|ENOTDIR'],
  ['a directory where the store should be', 'database.sqlite', 'it is a directory'],
])('%s is reported, with a hint to set another home', async (_title, directory, reason) => {
  const home = join(temporaryDirectory(), 'home')
  if (directory === '') writeFileSync(home, '')
  else mkdirSync(join(home, directory), { recursive: true })
  await expect(openStore(join(home, 'database.sqlite'))).rejects.toMatchObject({
    name: 'AgencError',
    message: expect.stringMatching(`${home}/database.sqlite: (${reason})`),
    hint: expect.stringContaining('AGENC_DIRPATH'),
  })
})
