import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listMissions } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { type Conflict, findConflicts } from '../../src/git-work/conflicts.ts'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { contextOf } from '../helpers/landing.ts'
import { storeMissions, writeProgram } from '../helpers/missions.ts'
import { type WorkBox, workBox } from '../helpers/work-missions.ts'

const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`)

function text(changes: Record<number, string> = {}): string {
  return lines.map((line, index) => changes[index] ?? line).join('')
}

function boxWithRepo(): { box: WorkBox; repo: string } {
  const box = workBox()
  box.bench.repo('src/app', { 'a.txt': text(), 'b.txt': text(), 'dir/c.txt': text(), 'dir/d.txt': text() })
  return { box, repo: box.add('./src/app') }
}

function conflicts(box: WorkBox, ...args: string[]): Conflict[] {
  return box.agencJson(['mission', 'conflicts', ...args])
}

/** What each mission keeps about its conflicts, by name. */
function marks(box: WorkBox): Record<string, MissionJson['conflicts']> {
  const listed = box.agencJson<MissionJson[]>(['mission', 'ls', '--all'])
  return Object.fromEntries(listed.map(({ name, conflicts }) => [name, conflicts]))
}

test('two missions that change the same line conflict, whether committed or not, until one of them gives way', async () => {
  const { box, repo } = boxWithRepo()
  const one = await box.mission(repo, 'one')
  const two = await box.mission(repo, 'two')
  const three = await box.mission(repo, 'three')
  one.commit({ 'a.txt': text({ 3: 'one\n' }) })
  two.write({ 'a.txt': text({ 3: 'two\n' }) })
  three.commit({ 'a.txt': text({ 15: 'three\n' }) })

  expect(box.agenc(['mission', 'ls']).stdout).not.toContain('!')
  expect(conflicts(box, 'one')).toEqual([{ mission: one.id, with: two.id, files: ['a.txt'] }])
  expect(conflicts(box, 'three')).toEqual([])
  expect(marks(box)).toEqual({
    one: [{ with: two.id, files: ['a.txt'] }],
    two: [{ with: one.id, files: ['a.txt'] }],
    three: [],
  })
  const listed = box.agenc(['mission', 'ls']).stdout.split('\n')
  expect(listed.find(line => line.includes('one'))).toContain('  !')
  expect(listed.find(line => line.includes('three'))).not.toContain('!')
  expect(box.agenc(['mission', 'show', 'one']).stdout).toMatch(/^conflict +with .{8}: a\.txt$/m)
  const shown = box.agenc(['mission', 'conflicts'])
  expect(shown).toMatchObject({ exitCode: 0, stderr: '' })
  expect(shown.stdout).toMatch(/^.{8} (one|two) conflicts with .{8} (one|two):\n {2}a\.txt\n$/)

  two.write({ 'a.txt': text() })
  expect(box.agenc(['mission', 'conflicts'])).toMatchObject({ exitCode: 0, stdout: 'No conflicts.\n' })
  expect(marks(box)).toEqual({ one: [], two: [], three: [] })
})

test('an undo of the change also takes the marks away', async () => {
  const { box, repo } = boxWithRepo()
  const one = await box.mission(repo, 'one')
  const two = await box.mission(repo, 'two')
  one.commit({ 'a.txt': text({ 3: 'one\n' }) })
  two.write({ 'a.txt': text({ 3: 'two\n' }) })
  expect(conflicts(box)).toHaveLength(1)
  expect(box.agenc(['mission', 'undo', 'two', '--turn', '0']).exitCode).toBe(0)
  expect(marks(box)).toEqual({ one: [], two: [] })
})

test('the base as the library has it now counts, and work that has landed there does not conflict', async () => {
  const { box, repo } = boxWithRepo()
  const one = await box.mission(repo, 'one')
  const two = await box.mission(repo, 'two')
  one.commit({ 'a.txt': text({ 3: 'one\n' }) })
  two.commit({ 'a.txt': text({ 3: 'two\n' }), 'b.txt': text({ 1: 'two\n' }) })
  expect(conflicts(box)).toHaveLength(1)

  // As after a squash merge of the first.
  box.bench.commit('src/app', { 'a.txt': text({ 3: 'one\n' }) })
  expect(conflicts(box)).toHaveLength(1)
  box.agencJson(['repo', 'update', 'app'])
  expect(conflicts(box)).toEqual([{ mission: two.id, with: 'base', files: ['a.txt'] }])
  expect(box.agenc(['mission', 'conflicts']).stdout).toContain('two conflicts with its base main:\n  a.txt\n')
  expect(box.agenc(['mission', 'show', 'two']).stdout).toContain('with its base: a.txt')

  // A mission that started later met the change in its base. It is not to blame for it.
  const three = await box.mission(repo, 'three')
  three.commit({ 'b.txt': text({ 18: 'three\n' }) })
  expect(conflicts(box)).toEqual([{ mission: two.id, with: 'base', files: ['a.txt'] }])
  expect(conflicts(box, 'three')).toEqual([])
})

test('files against directories, renamed directories, deleted and renamed files', async () => {
  const { box, repo } = boxWithRepo()
  const mover = await box.mission(repo, 'mover')
  mover.git('mv', 'dir', 'moved')
  mover.git('mv', 'a.txt', 'z.txt')
  mover.git('commit', '--quiet', '--message', 'moved')
  const adder = await box.mission(repo, 'adder')
  adder.commit({ 'dir/new.txt': 'new\n' })
  const shaper = await box.mission(repo, 'shaper')
  shaper.commit({ moved: 'a file\n' })
  const editor = await box.mission(repo, 'editor')
  editor.commit({ 'a.txt': text({ 2: 'edited\n' }) })
  const deleter = await box.mission(repo, 'deleter')
  deleter.git('rm', '--quiet', 'a.txt')
  deleter.git('commit', '--quiet', '--message', 'deleted')
  const found = conflicts(box).map(conflict => new Set([conflict.mission, conflict.with]))
  // git follows a renamed file, so the editor has no conflict with the mover.
  const expected = [
    [mover, adder],
    [mover, shaper],
    [mover, deleter],
    [editor, deleter],
  ]
  expect(new Set(found)).toEqual(new Set(expected.map(pair => new Set(pair.map(({ id }) => id)))))
})

test('names with spaces and unicode, binary files, and the missions of another repo', async () => {
  const { box, repo } = boxWithRepo()
  box.bench.repo('src/other', { 'ä b.txt': text() })
  const other = box.add('./src/other')
  const one = await box.mission(repo, 'one')
  const two = await box.mission(repo, 'two')
  const three = await box.mission(other, 'three')
  for (const [mission, word] of [
    [one, 'one'],
    [two, 'two'],
    [three, 'three'],
  ] as const)
    mission.commit({ 'ä b.txt': text({ 4: `${word}\n` }), 'x.bin': `\0${word}` })
  expect(conflicts(box)).toEqual([
    { mission: expect.any(String), with: expect.any(String), files: ['x.bin', 'ä b.txt'] },
  ])
  expect(conflicts(box, 'three')).toEqual([])
})

test('archiving or deleting a mission removes its marks; an archived mission can still be asked about', async () => {
  const { box, repo } = boxWithRepo()
  const one = await box.mission(repo, 'one')
  const two = await box.mission(repo, 'two')
  const three = await box.mission(repo, 'three')
  for (const mission of [one, two, three]) mission.commit({ 'a.txt': text({ 3: `${mission.branch}\n` }) })
  expect(conflicts(box)).toHaveLength(3)
  box.agencJson(['mission', 'archive', 'two'])
  const afterwards = { one: [{ with: three.id, files: ['a.txt'] }], two: [] }
  expect(marks(box)).toMatchObject(afterwards)
  expect(conflicts(box, 'two')).toHaveLength(2)
  expect(marks(box)).toMatchObject(afterwards)
  box.agencJson(['mission', 'rm', 'three', '--yes', '--force'])
  expect(marks(box)).toEqual({ one: [], two: [] })
})

test('only the refs of the missions are written to the library, and no hook or filter of a mission runs', async () => {
  const { box, repo } = boxWithRepo()
  const one = await box.mission(repo, 'one')
  const two = await box.mission(repo, 'two')
  const proof = join(box.root, 'proof')
  const evil = writeProgram(join(box.root, 'evil'), `touch ${proof}; cat`)
  for (const mission of [one, two]) {
    for (const key of ['filter.x.clean', 'merge.x.driver', 'diff.x.textconv', 'core.fsmonitor'])
      mission.git('config', key, evil)
    mission.write({ '.git/info/attributes': 'a.txt merge=x diff=x\n' })
    mission.write({ 'a.txt': text({ 3: `${mission.branch}\n` }), '.gitattributes': '*.txt merge=x diff=x\n' })
  }
  expect(conflicts(box)).toMatchObject([{ files: ['a.txt'] }])
  const looseObjects = () => box.library(repo, 'count-objects')
  const refs = () => box.library(repo, 'for-each-ref', '--format=%(refname)')
  expect(
    refs()
      .split('\n')
      .every(ref => /^refs\/(heads\/main|agenc\/)/.test(ref)),
  ).toBe(true)
  // Snapshots are copied as packs. A merge would leave its objects one by one.
  expect(looseObjects()).toBe('0 objects, 0 kilobytes')
  expect(existsSync(proof)).toBe(false)
})

test('missions in a repo without commits, without a directory, and without a repo', async () => {
  const box = workBox()
  expect(conflicts(box)).toEqual([])
  box.bench.git('.', 'init', '--quiet', '--initial-branch=main', 'src/empty')
  const repo = box.add('./src/empty')
  const [one, two] = [await box.mission(repo, 'one'), await box.mission(repo, 'two')]
  one.commit({ 'a.txt': 'one\n' })
  two.write({ 'a.txt': 'two\n' })
  expect(conflicts(box)).toMatchObject([{ files: ['a.txt'] }])
  rmSync(one.directory, { recursive: true })
  expect(conflicts(box)).toHaveLength(1)
  await storeMissions(box, [{ name: 'blank' }])
  expect(conflicts(box)).toHaveLength(1)
  expect(box.agenc(['mission', 'conflicts', 'blank'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('has no repo'),
  })
})

test('an older git is named as the reason', async () => {
  const { box, repo } = boxWithRepo()
  const [one, two] = [await box.mission(repo, 'one'), await box.mission(repo, 'two')]
  for (const mission of [one, two]) mission.commit({ 'a.txt': text({ 3: `${mission.branch}\n` }) })
  mkdirSync(join(box.root, 'bin'))
  writeProgram(
    join(box.root, 'bin/git'),
    'case " $* " in *" merge-tree --write-tree "*) echo "usage: git merge-tree" >&2; exit 129 ;; esac\nPATH=$REAL_PATH exec git "$@"',
  )
  const failed = box.agenc(['mission', 'conflicts'], {
    env: { PATH: `${join(box.root, 'bin')}:${box.env.PATH}`, REAL_PATH: box.env.PATH },
  })
  expect(failed).toMatchObject({ exitCode: 69, stdout: '' })
  expect(failed.stderr).toContain('Update git to 2.38 or newer.')
})

test('missions with other files cost nothing, however many they are', async () => {
  const { box, repo } = boxWithRepo()
  const one = await box.mission(repo, 'one')
  const two = await box.mission(repo, 'two')
  one.write({ 'a.txt': text({ 3: 'one\n' }) })
  two.write({ 'a.txt': text({ 3: 'two\n' }) })
  const { context } = contextOf(box)
  let started = 0
  const start: typeof context.exec.start = (...args) => {
    started++
    return context.exec.start(...args)
  }
  const ask = async () => {
    conflicts(box)
    const db = await openStore(context.paths.database)
    const missions = listMissions(db)
    db.close()
    started = 0
    const found = await findConflicts({ ...context, exec: { ...context.exec, start } }, missions, {
      of: one.id,
    })
    expect(found).toEqual([{ mission: one.id, with: two.id, files: ['a.txt'] }])
    return started
  }
  const before = await ask()
  for (const name of ['three', 'four', 'five']) (await box.mission(repo, name)).write({ [name]: 'new\n' })
  expect(await ask()).toBe(before)
})
