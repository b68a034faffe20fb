import { expect, test } from 'vitest'
import { aboutFrom } from '../../src/mission/about.ts'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { recordsBox } from '../helpers/records.ts'

const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'

test('a mission is about the first line of its first prompt, unless it has a name', async () => {
  const box = recordsBox()
  const prompt = `\n  fix\u001b[31m the login with ${secret}  \nand more`
  const mission = await box.create('app', '--prompt', prompt)
  expect(mission.about).toBe('fix the login with ***')
  const fork = box.terminal(['mission', 'fork', mission.id])
  expect(await fork.exited).toBe(0)
  expect(box.missions().map(({ about }) => about)).toEqual([mission.about, mission.about])
  expect(box.agenc(['ls']).stdout.split('\n')[0]).toMatch(/^ID +STATE +REPO +ABOUT +ACTIVE$/)
  expect(box.agenc(['ls']).stdout).toMatch(/local\/src\/app +fix the login with \*\*\* /)
  expect(box.agenc(['mission', 'show', mission.id]).stdout).toMatch(/^about +fix the login with \*\*\*$/m)
  box.agenc(['mission', 'rename', mission.id, 'login'])
  expect(box.agenc(['ls']).stdout).toMatch(/local\/src\/app +login /)
  expect(box.agencJson<MissionJson>(['mission', 'show', mission.id])).toMatchObject({
    name: 'login',
    about: mission.about,
  })
})

test('only the beginning of a very long first line is kept', async () => {
  const box = recordsBox()
  const mission = await box.create('--blank', '--prompt', 'word '.repeat(1000))
  expect(mission.about!.length).toBeLessThanOrEqual(200)
  expect(aboutFrom('x'.repeat(10 * 1024 * 1024))).toBe('x'.repeat(200))
})
