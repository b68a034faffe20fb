import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { gitBench } from '../helpers/git.ts'
import { checkout, landingBox } from '../helpers/landing.ts'
import { storeMissions } from '../helpers/missions.ts'
import { waitFor } from '../helpers/wait.ts'
import { wrapperBox } from '../helpers/wrapper-box.ts'

test('what has arrived is archived and its directory freed; what has not is listed and kept', async () => {
  const box = landingBox({ from: 'checkout' })
  const landed = await box.mission({ branch: 'landed' })
  const waiting = await box.mission({ branch: 'waiting', name: 'waiting' })
  const head = landed.work({ 'a.txt': 'a\n' })
  waiting.work({ 'b.txt': 'b\n' })
  waiting.write({ 'c.txt': 'c\n' })
  expect(landed.agenc('pull', '--squash').exitCode).toBe(0)
  const done = box.agenc(['mission', 'done', landed.id, waiting.id])
  expect(done.exitCode).toBe(1)
  expect(done.stderr).toContain(
    `${waiting.short} waiting is kept:\n  1 untracked file: c.txt\n  1 unpushed commit on waiting\n`,
  )
  expect([landed.isThere(), waiting.isThere()]).toEqual([false, true])
  expect((await landed.record()).archived_at).not.toBeNull()
  expect((await waiting.record()).archived_at).toBeNull()
  expect(box.git(box.library, 'rev-parse', `refs/agenc/${landed.id}/heads/landed`)).toBe(head)

  const forced = box.agenc(['mission', 'done', waiting.id, landed.id, '--force', '--json'])
  expect(forced.exitCode).toBe(0)
  expect(JSON.parse(forced.stdout)).toEqual(
    [waiting, landed].map(({ id }) => ({ id, done: true, kept_because: [] })),
  )
  expect(waiting.isThere()).toBe(false)
  const kept = `refs/agenc/${waiting.id}/now`
  expect(box.git(box.library, 'ls-tree', '--name-only', kept)).toContain('b.txt\nc.txt')
})

test('work whose directory was freed can still be landed, from the library', async () => {
  const box = landingBox({ from: 'checkout' })
  const mission = await box.mission()
  mission.work({ 'b.txt': 'b\n' })
  mission.write({ 'c.txt': 'c\n' })
  expect(mission.agenc('done', '--force').exitCode).toBe(0)
  expect(mission.agenc('pull').stderr).toContain('has uncommitted changes in 1 file: c.txt')
  expect(mission.agenc('pull', '--commit', 'Add c')).toMatchObject({ exitCode: 0, stderr: '' })
  expect(box.git(checkout, 'log', '--format=%s', 'main..agenc/work')).toBe('Add c\nwork')
  expect(mission.agenc('sync').stderr).toContain('has no directory')
})

test('ignored files that exist only there are named and asked about first', async () => {
  const box = landingBox({ from: 'checkout', files: { '.gitignore': '*.local\nnode_modules/\ndata/\n' } })
  const mission = await box.mission()
  writeFileSync(join(box.root, checkout, 'same.local'), 'from the checkout')
  mission.write({
    'same.local': 'from the checkout',
    'my notes.local': 'only here',
    'data/deep/x': 'x'.repeat(12_000),
    'node_modules/lib/index.js': 'x',
  })
  const asked = mission.agenc('done')
  expect(asked.exitCode).toBe(64)
  expect(asked.stderr).toContain('\n  data/ (12 kB)\n  my notes.local (9 B)\n')
  expect(asked.stderr).not.toMatch(/same\.local|node_modules/)
  expect(asked.stderr).toContain('Confirm it with --yes.')
  expect([mission.isThere(), (await mission.record()).archived_at]).toEqual([true, null])
  expect(mission.agenc('done', '--yes').exitCode).toBe(0)
  expect(mission.isThere()).toBe(false)
})

test("a user's own directory and a directory without a repo stay", async () => {
  const box = landingBox()
  const own = join(box.root, checkout)
  const [given, blank, notes] = await storeMissions(box, [{ dir: own, repo: box.repo }, {}, {}])
  writeFileSync(join(box.agencHome, 'missions', notes!, 'agent', 'notes.txt'), 'x')
  const done = box.agenc(['mission', 'done', given!, blank!, notes!])
  expect(done.exitCode).toBe(1)
  expect(done.stderr).toContain('files in a directory that is not a git repo')
  expect(existsSync(join(own, 'README.md'))).toBe(true)
  const archived = box.agencJson<MissionJson[]>(['mission', 'ls', '-a'])
  expect(
    archived
      .filter(({ status }) => status === 'archived')
      .map(({ id }) => id)
      .sort(),
  ).toEqual([given!, blank!].sort())
})

test('if the library cannot keep the last state, nothing is deleted', async () => {
  const box = landingBox({ from: 'checkout' })
  const mission = await box.mission()
  writeFileSync(join(box.library, `refs/agenc`), 'in the way')
  const done = mission.agenc('done')
  expect(done.exitCode).toBe(1)
  expect(done.stderr).toContain('is kept:')
  expect([mission.isThere(), (await mission.record()).archived_at]).toEqual([true, null])
})

test('a running mission is stopped; one that works, or runs the command itself, is kept', async () => {
  const box = wrapperBox()
  gitBench(box.root, box.env).repo('app')
  const repo = box.agenc(['repo', 'add', join(box.root, 'app'), '--trust']).stdout.trim()
  const terminal = box.run(['mission', 'new', repo])
  const { id } = await waitFor('the mission', () => box.records()[0])
  await box.ready(id)
  const inside = box.agenc(['mission', 'done', id], { env: { AGENC_MISSION_UUID: id } })
  expect(inside.stderr).toContain('this command runs inside of it')
  box.change("UPDATE missions SET state = 'busy' WHERE id = ?", id)
  const busy = box.agenc(['mission', 'done', id, '--yes'])
  expect([busy.exitCode, busy.stderr]).toEqual([1, expect.stringContaining('its Claude is working')])
  expect(box.agenc(['mission', 'sync', id]).stderr).toContain('is not idle, so its files may change')
  box.change("UPDATE missions SET state = 'idle' WHERE id = ?", id)
  expect(box.agenc(['mission', 'done', id, '--yes'])).toMatchObject({ exitCode: 0, stderr: '' })
  await terminal.exited
  expect(existsSync(join(box.agencHome, 'missions', id, 'agent'))).toBe(false)
  expect(box.record(id)).toMatchObject({ wrapper_pid: null, archived_at: expect.any(String) })
})

test('with --force, what the library cannot keep is named first', async () => {
  const box = landingBox()
  const mission = await box.mission()
  mission.write({ 'kept.txt': 'x\n', 'new/kept.txt': 'x\n', 'new/.env': 'SECRET\n' })
  gitBench(mission.directory, box.env).repo('inner')
  const lines = '  2 uncommitted files: inner/, new/.env\n'
  const asked = mission.agenc('done', '--force')
  expect(asked.exitCode).not.toBe(0)
  expect(asked.stderr).toContain(`The library cannot keep of ${mission.short}`)
  expect(asked.stderr).toContain(lines)
  expect(mission.isThere()).toBe(true)
  const removed = mission.agenc('rm', '--force', '--yes')
  expect(removed.exitCode).toBe(0)
  expect(removed.stderr).toContain(lines)
  expect(mission.isThere()).toBe(false)
})
