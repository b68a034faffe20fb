import { mkdirSync, rmdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import lockfile from 'proper-lockfile'
import { expect, test } from 'vitest'
import { withLock } from '../../src/io/lock.ts'
import { temporaryDirectory } from '../helpers/cli.ts'

const freshFile = () => join(temporaryDirectory(), 'file')

/** What Claude Code locks with. */
const asClaude = { realpath: false, stale: 10_000 }

test('it waits for a Claude that holds it', async () => {
  const path = freshFile()
  const release = await lockfile.lock(path, asClaude)
  const order: string[] = []
  const ours = withLock(path, () => order.push('agenc'))
  await new Promise(resolve => setImmediate(resolve))
  order.push('claude')
  await release()
  await ours
  expect(order).toEqual(['claude', 'agenc'])
})

test('a Claude cannot have it meanwhile', async () => {
  const path = freshFile()
  const held = await withLock(path, () => lockfile.checkSync(path, asClaude))
  expect(held).toBe(true)
  expect(await lockfile.check(path, asClaude)).toBe(false)
})

test('one whose holder died is taken over', async () => {
  const path = freshFile()
  mkdirSync(`${path}.lock`)
  const longAgo = new Date(Date.now() - 60_000)
  utimesSync(`${path}.lock`, longAgo, longAgo)
  expect(await withLock(path, () => 'done')).toBe('done')
})

test('an error inside is passed on, and the lock is free again', async () => {
  const path = freshFile()
  const failing = () => {
    throw new Error('inside')
  }
  await expect(withLock(path, failing)).rejects.toThrow('inside')
  expect(() => rmdirSync(`${path}.lock`)).toThrow('ENOENT')
})

test('where there cannot be a lock, it is said which file could not be locked', async () => {
  const path = join(temporaryDirectory(), 'x'.repeat(253))
  writeFileSync(path, '')
  await expect(withLock(path, () => 0)).rejects.toThrow(`cannot lock ${path}`)
})
