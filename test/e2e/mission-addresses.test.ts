import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { expectUsageError, recordsBox, storeMissions } from '../helpers/records.ts'

test('a name leads to its mission in every command that takes one', async () => {
  const box = recordsBox()
  const [id] = await storeMissions(box, ['fix login', 'other'])
  const run = (...args: string[]) => box.agencJson<Record<string, unknown>>(args)
  expect(run('mission', 'show', 'fix')).toMatchObject({ id })
  expect(run('mission', 'dir', 'fix login')).toMatchObject({ id })
  expect(run('mission', 'set', 'FIX login', '--model', 'opus')).toMatchObject({ id, model: 'opus' })
  expect(run('mission', 'archive', 'fix login')).toMatchObject([{ id }])
  expect(run('mission', 'unarchive', 'fix login')).toMatchObject([{ id }])
  expect(run('hold', 'fix')).toMatchObject({ missions: [id] })
  expect(run('approvals', 'ls', 'fix')).toEqual([])
  expect(run('approvals', 'test', '--mission', 'fix', 'ls')).toHaveProperty('decision')
  expect(run('mission', 'rename', 'fix', 'fixed')).toMatchObject({ id, name: 'fixed' })
  const copy = await box.create('--clone', 'fixed')
  expect(copy.parent_id).toBe(id)
  expect(run('mission', 'rm', 'fixed', '--yes')).toMatchObject([{ id }])
})

test('two missions of one name are listed, and neither is changed', async () => {
  const box = recordsBox()
  const [a, b] = await storeMissions(box, ['twin', 'twin'])
  const refused = box.agenc(['mission', 'archive', 'twin'])
  expectUsageError(refused, /"twin" matches 2 missions/)
  for (const id of [a, b]) expect(refused.stderr).toContain(`${id!.slice(0, 8)}  twin`)
  expect(box.missions()).toHaveLength(2)
})

test('mission dir prints the directory alone, and fails if it is gone', async () => {
  const box = recordsBox()
  const [id] = await storeMissions(box, ['one'])
  const dir = join(box.agencHome, 'missions', id!, 'agent')
  expect(box.agenc(['mission', 'dir', 'one'])).toEqual({ exitCode: 0, stdout: `${dir}\n`, stderr: '' })
  const env = { AGENC_MISSION_UUID: id }
  expect(box.agenc(['mission', 'dir', '.'], { env }).stdout).toBe(`${dir}\n`)
  expect(box.agencJson<MissionJson>(['mission', 'dir', 'one'])).toEqual({ id, dir })
  rmSync(dir, { recursive: true })
  expect(box.agenc(['mission', 'dir', 'one'])).toMatchObject({ exitCode: 1, stdout: '' })
})
