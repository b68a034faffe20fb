import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitBench } from '../helpers/git.ts'
import { gitIn, missionWithWork, remove, resume } from '../helpers/mission-work.ts'
import { recordsBox } from '../helpers/records.ts'
import { waitFor } from '../helpers/wait.ts'
import { say, wrapperBox } from '../helpers/wrapper-box.ts'

test('a mission that comes back continues its conversation', { timeout: 60_000 }, async () => {
  const box = wrapperBox()
  gitBench(box.root, box.env).repo('src/app')
  expect(box.agenc(['repo', 'add', './src/app', '--trust']).exitCode).toBe(0)
  const first = box.run(['mission', 'new', 'app', '--permission-mode', 'default'])
  const { id } = await waitFor('the mission', () => box.records()[0])
  await box.ready(id)
  await box.turn(id, first, 'Talk. [[text It is a fine day.]]')
  await say(first, '/exit')
  expect(await first.exited).toBe(0)
  expect(box.agenc(['mission', 'rm', id, '--yes']).stderr).toBe('')
  expect(box.record(id).removed_at).not.toBe(null)
  const again = box.run(['mission', 'resume', id])
  await again.waitForText('It is a fine day.')
  await box.ready(id)
  expect(box.record(id)).toMatchObject({ session_id: id, removed_at: null, archived_at: null })
  expect(box.history(id).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['removed', 'brought-back', 'directory-rebuilt']),
  )
})

test('a mission that is done comes back too, and is no longer archived', { timeout: 60_000 }, async () => {
  const box = recordsBox()
  const mission = await missionWithWork(box)
  expect(box.agenc(['mission', 'done', mission.id, '--yes', '--force'])).toMatchObject({ exitCode: 0 })
  expect(existsSync(mission.dir)).toBe(false)
  expect(box.missions('-a')).toMatchObject([{ id: mission.id, status: 'archived' }])
  await resume(box, mission.id)
  expect(readFileSync(join(mission.dir, 'a.txt'), 'utf8')).toBe('changed\n')
  expect(box.missions()).toMatchObject([{ id: mission.id, status: 'stopped', branch: 'feature/x' }])
})

test('the work of a deleted mission can still be pulled and pushed', { timeout: 60_000 }, async () => {
  const box = recordsBox()
  const mission = await box.create('app')
  const git = gitIn(box, mission)
  git('switch', '--quiet', '--create', 'late')
  writeFileSync(join(mission.dir, 'late.txt'), 'late\n')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'late')
  const commit = git('rev-parse', 'HEAD')
  remove(box, mission)
  expect(box.agenc(['mission', 'push', mission.id, '--as', 'pushed'])).toMatchObject({ exitCode: 0 })
  expect(box.bench.git('src/app', 'rev-parse', 'pushed')).toBe(commit)
  expect(box.agenc(['mission', 'pull', mission.id])).toMatchObject({ exitCode: 0 })
  expect(box.bench.git('src/app', 'rev-parse', 'late')).toBe(commit)
  expect(box.missions('-a')).toEqual([])
  expect(box.agenc(['mission', 'rm', mission.id, '--purge', '--yes'])).toMatchObject({ exitCode: 0 })
})

test.each([
  ['a shallow repo', ['clone', '--quiet', '--depth', '1', 'file://ROOT/src/app', 'src/odd']],
  ['a repo with sha256', ['init', '--quiet', '--object-format=sha256', 'src/odd']],
])('a mission on %s comes back', { timeout: 60_000 }, async (_title, make) => {
  const box = recordsBox()
  box.bench.commit('src/app', { 'second.txt': 'second\n' })
  box.bench.git('.', ...make.map(word => word.replace('ROOT', box.root)))
  box.bench.commit('src/odd', { 'odd.txt': 'odd\n' })
  expect(box.agenc(['repo', 'add', './src/odd', '--no-trust']).exitCode).toBe(0)
  const mission = await box.create('odd')
  const git = gitIn(box, mission)
  writeFileSync(join(mission.dir, 'odd.txt'), 'committed\n')
  git('commit', '--quiet', '--all', '--message', 'one')
  writeFileSync(join(mission.dir, 'new.txt'), 'new\n')
  const state = () => [git('log', '--format=%H'), git('status', '--porcelain')]
  const before = state()
  expect(remove(box, mission)).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  await resume(box, mission.id)
  expect(state()).toEqual(before)
})
