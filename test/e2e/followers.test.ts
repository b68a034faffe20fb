import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listMissions } from '../../src/db/missions.ts'
import { untilChange } from '../../src/mission/followers.ts'
import { sandbox } from '../helpers/cli.ts'
import { contextOf } from '../helpers/landing.ts'
import { storeMissions } from '../helpers/missions.ts'
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
