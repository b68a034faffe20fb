import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lossOf } from '../../src/db/lost-store.ts'
import { projectRoot, temporaryDirectory } from '../helpers/cli.ts'

const writes = 600

/** Opens the store, lets it grow and closes it, again and again. Each close removes the log and its index. */
const writer = `
const Sqlite = require('better-sqlite3')
for (let count = 0; count < ${writes}; count++) {
  const db = new Sqlite(process.argv[1])
  db.pragma('journal_mode = WAL')
  db.exec('CREATE TABLE IF NOT EXISTS blobs (bytes BLOB)')
  db.prepare('INSERT INTO blobs VALUES (zeroblob(5000))').run()
  db.close()
}`

test('a store that other processes open, write and close is never taken for lost', async () => {
  const path = join(temporaryDirectory(), 'database.sqlite')
  closeSync(openSync(path, 'a'))
  const child = spawn(process.execPath, ['-e', writer, path], { cwd: projectRoot, stdio: 'inherit' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  let looks = 0
  while (child.exitCode === null) {
    expect(await lossOf(path)).toBeNull()
    looks += 1
    if (looks % 20 === 0) await new Promise(resolve => setImmediate(resolve))
  }
  expect(await exited).toEqual([0, null])
  expect(looks).toBeGreaterThan(writes)
})
