import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gitIn, inLibrary, kept, library, missionWithWork, remove, resume } from '../helpers/mission-work.ts'
import { expectUsageError, recordsBox } from '../helpers/records.ts'

describe('after rm, a mission with a repo', () => {
  test('is in no list, and no command but resume finds it', { timeout: 60_000 }, async () => {
    const box = recordsBox()
    const mission = await missionWithWork(box, '--name', 'gone')
    expect(remove(box, mission)).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    expect(box.missions('-a')).toEqual([])
    expect(readdirSync(join(box.agencHome, 'missions'))).toEqual([])
    for (const verb of ['show', 'dir', 'archive', 'rename', 'fork', 'stop', 'plan'])
      expect(
        box.agenc(['mission', verb, mission.id, ...(verb === 'rename' ? ['x'] : [])]).exitCode,
        verb,
      ).toBe(64)
    expectUsageError(box.agenc(['mission', 'rm', mission.id, '--yes']), /no mission/)
    expect(box.agenc(['_complete', '--', 'mission', 'show', '']).stdout).toBe('')
    expect(box.agencJson<{ missions: number }[]>(['repo', 'ls'])[0]!.missions).toBe(0)
    expect(box.agencJson<{ missions: unknown[] }>(['status']).missions).toEqual([])
    const refused = ['mission', 'resume', mission.id, '--headless', '--permission-mode', 'plan']
    expectUsageError(box.agenc(refused), /plan mode/)
    expect(box.missions('-a')).toEqual([])
  })

  test('comes back with branches, files and checkpoints as they were', { timeout: 60_000 }, async () => {
    const box = recordsBox()
    const mission = await missionWithWork(box, '--name', 'back again')
    const git = gitIn(box, mission)
    git('update-ref', 'refs/agenc/checkpoints/1', 'HEAD')
    inLibrary(box, 'fetch', '--quiet', mission.dir, `+HEAD:refs/agenc/${mission.id}/checkpoints/1`)
    const state = () => ({
      head: git('rev-parse', 'HEAD'),
      branch: git('symbolic-ref', 'HEAD'),
      refs: git('for-each-ref', '--format=%(objectname) %(refname)'),
      status: git('status', '--porcelain', '--untracked-files=all'),
      remotes: git('remote', '--verbose'),
    })
    const before = state()
    expect(before.status.split('\n')).toHaveLength(3)
    remove(box, mission)
    await resume(box, 'back again')
    expect(state()).toEqual(before)
    expect(readFileSync(join(mission.dir, 'neu er', 'ü.txt'), 'utf8')).toBe('untracked\n')
    expect(existsSync(join(mission.dir, 'ignored'))).toBe(false)
    expect(box.missions()).toMatchObject([{ id: mission.id, name: 'back again', status: 'stopped' }])
    expect(
      readdirSync(join(box.agencHome, 'missions', mission.id)).filter(name => name.startsWith('.')),
    ).toEqual([])
    expect(remove(box, mission).exitCode).toBe(0)
    await resume(box, mission.id.slice(0, 8))
    expect(state()).toEqual(before)
  })

  test('comes back on a detached HEAD, and from a repo without commits', { timeout: 60_000 }, async () => {
    const box = recordsBox()
    const mission = await missionWithWork(box)
    gitIn(box, mission)('checkout', '--quiet', '--detach', '--force', 'main')
    box.bench.git('.', 'init', '--quiet', '--initial-branch=trunk', 'src/empty')
    expect(box.agenc(['repo', 'add', './src/empty', '--no-trust']).exitCode).toBe(0)
    const empty = await box.create('empty')
    writeFileSync(join(empty.dir, 'first.txt'), 'first\n')
    const heads = [mission, empty].map(one => readFileSync(join(one.dir, '.git', 'HEAD'), 'utf8'))
    for (const one of [mission, empty]) {
      expect(remove(box, one)).toEqual({ exitCode: 0, stdout: '', stderr: '' })
      await resume(box, one.id)
    }
    expect([mission, empty].map(one => readFileSync(join(one.dir, '.git', 'HEAD'), 'utf8'))).toEqual(heads)
    expect(gitIn(box, mission)('status', '--porcelain')).toBe('?? "neu er/"')
    expect(gitIn(box, empty)('status', '--porcelain')).toBe('?? first.txt')
  })

  test('cannot come back once the library has lost its work, and says so', { timeout: 60_000 }, async () => {
    const box = recordsBox()
    const mission = await missionWithWork(box)
    remove(box, mission)
    for (const ref of kept(box)) inLibrary(box, 'update-ref', '-d', ref)
    expect(await resume(box, mission.id)).toContain('the library no longer has its work')
    expect(box.missions('-a')).toEqual([])
  })
})

test('new working copies have nothing of the missions that the library keeps', {
  timeout: 60_000,
}, async () => {
  const box = recordsBox()
  const mission = await missionWithWork(box)
  remove(box, mission)
  const before = kept(box)
  expect(before.length).toBeGreaterThan(2)
  const copy = await box.create('app')
  const refs = gitIn(box, copy)('for-each-ref', '--format=%(refname)')
  expect(refs).not.toContain('refs/agenc')
  expect(refs).not.toContain('feature')
  box.bench.commit('src/app', { 'more.txt': 'more\n' })
  expect(box.agenc(['repo', 'update', 'app']).exitCode).toBe(0)
  inLibrary(box, 'gc', '--quiet', '--prune=now')
  expect(kept(box)).toEqual(before)
  await resume(box, mission.id)
  expect(readFileSync(join(mission.dir, 'a.txt'), 'utf8')).toBe('changed\n')
})

test('a mission without its directory says how to get it back', { timeout: 60_000 }, async () => {
  const box = recordsBox()
  const mission = await missionWithWork(box)
  remove(box, mission)
  await resume(box, mission.id)
  rmSync(mission.dir, { recursive: true })
  const hint = `agenc mission resume ${mission.short_id}`
  for (const args of [
    ['mission', 'dir', mission.id],
    ['mission', 'open', mission.id],
  ])
    expect(box.agenc(args)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(hint) })
  for (const args of [
    ['mission', 'fork', mission.id],
    ['mission', 'new', '--clone', mission.id],
  ]) {
    const terminal = box.terminal(args)
    expect(await terminal.exited).toBe(1)
    expect(terminal.screen()).toContain(hint)
  }
  await resume(box, mission.id)
  expect(readFileSync(join(mission.dir, 'a.txt'), 'utf8')).toBe('changed\n')
})

describe('if the last state cannot be kept,', () => {
  test('rm refuses and deletes nothing; with --force it says so', { timeout: 60_000 }, async () => {
    const box = recordsBox()
    const mission = await box.create('app', '--name', 'stuck')
    // As on a full disk: git cannot write to the library.
    const away = `${library(box)}-away`
    renameSync(library(box), away)
    const refused = box.agenc(['mission', 'rm', mission.id, '--yes'])
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('cannot be kept') })
    expect(existsSync(mission.dir)).toBe(true)
    const forced = remove(box, mission)
    expect(forced).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('could not be kept') })
    expect(box.missions('-a')).toEqual([])
    expect(existsSync(mission.dir)).toBe(false)
  })
})
