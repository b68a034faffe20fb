import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import type { Garbage } from '../../src/git-work/garbage.ts'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { expectUsageError, type RecordsBox, recordsBox } from '../helpers/records.ts'

interface Collected {
  garbage: Garbage[]
  kept: Garbage[]
  freed_bytes: number
}

const library = (box: RecordsBox) => join(box.agencHome, 'repos/local/src/app')
const day = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * day).toISOString()

function git(box: RecordsBox, args: string[], { days = 0, input = '' } = {}): string {
  const date = daysAgo(days)
  return execFileSync('git', args, {
    cwd: box.root,
    env: { ...box.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    input,
    encoding: 'utf8',
  }).trim()
}

const refs = (box: RecordsBox, { id }: MissionJson) =>
  git(box, ['--git-dir', library(box), 'for-each-ref', '--format=%(refname)', `refs/agenc/${id}`])
    .split('\n')
    .map(ref => ref.replace(`refs/agenc/${id}/`, ''))

/** A checkpoint with a file of 100 kB, which was recorded that many days ago. */
function checkpoint(box: RecordsBox, mission: MissionJson, number: number, days: number): void {
  const own = ['--git-dir', join(mission.dir, '.git')]
  const blob = git(box, [...own, 'hash-object', '-w', '--stdin'], {
    input: randomBytes(75_000).toString('base64'),
  })
  const tree = git(box, [...own, 'mktree'], { input: `100644 blob ${blob}\tbig\n` })
  const commit = git(box, [...own, 'commit-tree', tree, '-p', 'HEAD', '-m', `checkpoint ${number}`], { days })
  git(box, [...own, 'update-ref', `refs/agenc/checkpoints/${number}`, commit])
  const to = `refs/agenc/${mission.id}/checkpoints/${number}`
  git(box, [
    '--git-dir',
    library(box),
    'fetch',
    '--quiet',
    mission.dir,
    `+refs/agenc/checkpoints/${number}:${to}`,
  ])
}

/** Young objects stay, because another process may be about to name them. */
function makeOld(directory: string): void {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  for (const path of paths) utimesSync(join(directory, path), 0, 0)
}

function removedDaysAgo(box: RecordsBox, { id }: MissionJson, days: number): void {
  const db = new Sqlite(join(box.agencHome, 'database.sqlite'))
  db.prepare('UPDATE missions SET removed_at = ? WHERE id = ?').run(daysAgo(days), id)
  db.close()
}

const gc = (box: RecordsBox, ...args: string[]) => box.agencJson<Collected>(['repo', 'gc', ...args])

test('a mission with its directory loses its old checkpoints, except the latest', {
  timeout: 60_000,
}, async () => {
  const box = recordsBox()
  const mission = await box.create('app', '--name', 'alive')
  for (const [number, days] of [90, 60, 40].entries()) checkpoint(box, mission, number + 1, days)
  const listed = gc(box, '--dry-run')
  expect(listed).toMatchObject({
    garbage: [{ mission_id: mission.id, name: 'alive', mission: 'living', whole: false, checkpoints: 2 }],
    kept: [],
    freed_bytes: 0,
  })
  expect(listed.garbage[0]!.bytes).toBeGreaterThan(150_000)
  expect(refs(box, mission)).toHaveLength(3)
  expectUsageError(box.agenc(['repo', 'gc']), /confirmation/)
  expect(gc(box, '--larger-than', '10M').garbage).toEqual([])
  expect(gc(box, '--older-than', '100d').garbage).toEqual([])
  const { bytes } = box
    .agencJson<{ disk_bytes: number }[]>(['repo', 'ls'])
    .map(repo => ({ bytes: repo.disk_bytes }))[0]!
  makeOld(join(library(box), 'objects'))
  expect(gc(box, 'app', '--yes').freed_bytes).toBeGreaterThan(150_000)
  expect(box.agencJson<{ disk_bytes: number }[]>(['repo', 'ls'])[0]!.disk_bytes).toBeLessThan(bytes - 150_000)
  expect(refs(box, mission)).toEqual(['checkpoints/3'])
  expect(git(box, ['-C', mission.dir, 'for-each-ref', '--format=%(refname)', 'refs/agenc'])).toBe(
    'refs/agenc/checkpoints/3',
  )
  expect(gc(box, '--yes')).toEqual({ garbage: [], kept: [], freed_bytes: 0 })
  git(box, ['--git-dir', library(box), 'fsck', '--strict'])
})

test('a deleted mission goes as a whole, unless its work exists only in the library', {
  timeout: 60_000,
}, async () => {
  const box = recordsBox()
  const [saved, unsaved] = [
    await box.create('app', '--name', 'saved'),
    await box.create('app', '--name', 'unsaved'),
  ]
  checkpoint(box, saved, 1, 50)
  writeFileSync(join(unsaved.dir, 'new.txt'), 'only here\n')
  for (const { id } of [saved, unsaved]) box.agenc(['mission', 'rm', id, '--yes', '--force'])
  expect(gc(box, '--yes').garbage).toMatchObject([{ mission_id: saved.id, whole: false, checkpoints: 1 }])
  for (const mission of [saved, unsaved]) removedDaysAgo(box, mission, 31)
  const terminal = box.terminal(['repo', 'gc'])
  await terminal.waitForText('for good?')
  expect(terminal.screen()).toContain('saved')
  expect(terminal.screen()).toMatch(/only in the library.*\n.*unsaved: uncommitted changes/)
  terminal.type('y\r')
  expect(await terminal.exited).toBe(0)
  expect(terminal.screen()).toMatch(/Freed /)
  expect(refs(box, saved)).toEqual([''])
  expect(await box.terminal(['mission', 'resume', saved.id]).exited).toBe(64)

  await box.terminal(['mission', 'resume', unsaved.id]).exited
  expect(readFileSync(join(unsaved.dir, 'new.txt'), 'utf8')).toBe('only here\n')
  box.agenc(['mission', 'rm', unsaved.id, '--yes', '--force'])
  removedDaysAgo(box, unsaved, 31)
  expect(gc(box, '--yes', '--force').garbage).toMatchObject([{ name: 'unsaved', whole: true }])
  expect(refs(box, unsaved)).toEqual([''])
})

describe('repo rm', () => {
  test('refuses while the library is the only place of the work of deleted missions', {
    timeout: 60_000,
  }, async () => {
    const box = recordsBox()
    const mission = await box.create('app', '--name', 'precious')
    writeFileSync(join(mission.dir, 'new.txt'), 'only here\n')
    box.agenc(['mission', 'rm', mission.id, '--yes', '--force'])
    const refused = box.agenc(['repo', 'rm', 'app', '--yes'])
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
    expect(refused.stderr).toContain(`${mission.short_id}  precious: uncommitted changes`)
    expect(existsSync(library(box))).toBe(true)
    expect(box.agenc(['repo', 'rm', 'app', '--yes', '--force']).exitCode).toBe(0)
    expect(existsSync(library(box))).toBe(false)
    expectUsageError(box.agenc(['mission', 'resume', mission.id]), /no mission/)
  })

  test('needs no --force if the work of the deleted missions has arrived', { timeout: 60_000 }, async () => {
    const box = recordsBox()
    const { id } = await box.create('app')
    box.agenc(['mission', 'rm', id, '--yes'])
    expect(box.agenc(['repo', 'rm', 'app', '--yes'])).toMatchObject({ exitCode: 0 })
  })
})

test('bad ages and sizes are refused', () => {
  const box = recordsBox()
  expectUsageError(box.agenc(['repo', 'gc', '--older-than', 'long']), /not a time/)
  expectUsageError(box.agenc(['repo', 'gc', '--larger-than', 'huge']), /not a size/)
  expectUsageError(box.agenc(['repo', 'gc', 'nothing']), /nothing/)
})
