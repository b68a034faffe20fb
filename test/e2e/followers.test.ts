import { execFileSync } from 'node:child_process'
import { closeSync, constants, existsSync, mkdirSync, openSync, readdirSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listMissions } from '../../src/db/missions.ts'
import { untilChange } from '../../src/mission/followers.ts'
import { makerMark } from '../../src/system/maker.ts'
import { sandbox } from '../helpers/cli.ts'
import { contextOf } from '../helpers/landing.ts'
import { storeMissions } from '../helpers/missions.ts'
import { markOfEndedProcess } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'

test('a process that follows the missions is woken by a change that another process makes', async () => {
  const box = sandbox()
  const [id] = await storeMissions(box, [{ name: 'before' }])
  const { context } = contextOf(box)
  const names: (string | null)[] = []
  const found = untilChange(context, db => {
    const { name } = listMissions(db!).find(mission => mission.id === id)!
    if (names.at(-1) !== name) names.push(name)
    return name === 'after' ? 'seen' : undefined
  })
  await waitFor('the first look', () => names.length === 1)
  expect(box.agenc(['mission', 'rename', id!, 'after'])).toMatchObject({ exitCode: 0 })
  expect(await found).toBe('seen')
  expect(names).toEqual(['before', 'after'])
  expect(readdirSync(context.paths.followers)).toEqual([])
})

test('it gives up when its time is over, and leaves no FIFO', async () => {
  const box = sandbox()
  const { context } = contextOf(box)
  expect(await untilChange(context, () => undefined, { timeoutMs: 20 })).toBeUndefined()
  expect(existsSync(join(context.paths.followers))).toBe(true)
  expect(readdirSync(context.paths.followers)).toEqual([])
})

test('a change wakes a follower that is suspended, and removes the FIFO of one that was killed', async () => {
  const box = sandbox()
  const [id] = await storeMissions(box, [{}])
  const { followers } = contextOf(box).context.paths
  mkdirSync(followers, { mode: 0o700 })
  const suspended = join(followers, `${makerMark()}suspended`)
  const killed = join(followers, `${markOfEndedProcess()}killed`)
  execFileSync('mkfifo', [suspended, killed])
  const reader = openSync(suspended, constants.O_RDWR | constants.O_NONBLOCK)
  onTestFinished(() => closeSync(reader))
  // A FIFO that was not read for a long time takes no more.
  const fill = () => {
    for (;;) writeSync(reader, '.'.repeat(4096))
  }
  expect(fill).toThrow('EAGAIN')
  expect(box.agenc(['mission', 'rename', id!, 'after'])).toMatchObject({ exitCode: 0, stderr: '' })
  expect(readdirSync(followers)).toEqual([basename(suspended)])
})
