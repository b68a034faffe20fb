import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { getMission, updateMission } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { recordCheckpoint } from '../../src/git-work/checkpoint.ts'
import { MissionService } from '../../src/mission/service.ts'
import { pathsAt } from '../../src/paths.ts'
import { systemProbe } from '../../src/system/process-identity.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { untouched } from '../helpers/snapshot-bench.ts'
import { type WorkBox, type WorkMission, workBox } from '../helpers/work-missions.ts'

interface Undone {
  id: string
  turn: number
  files: number
  recorded: number
}

async function start(files: Record<string, string> = { a: 'base\n' }) {
  const box = workBox()
  box.bench.repo('source', files)
  const repo = box.add('./source')
  const mission = await box.mission(repo, 'm')
  return { box, repo, mission }
}

/** Ends a turn, as the wrapper does. */
async function endTurn(box: WorkBox, { id }: WorkMission, files: () => void = () => {}): Promise<void> {
  const paths = pathsAt(box.agencHome)
  const db = await openStore(paths.database)
  const missions = new MissionService(db, () => new Date())
  const context = { exec: systemRunner, env: box.env, paths, now: () => new Date() } as unknown as Context
  missions.change(id, { state: 'busy' }, ['state', { state: 'busy' }])
  files()
  missions.change(id, { state: 'idle' }, ['state', { state: 'idle' }])
  await recordCheckpoint(context, missions, getMission(db, id)!)
  db.close()
}

const undo = (box: WorkBox, { id }: WorkMission, ...args: string[]) =>
  box.agencJson<Undone>(['mission', 'undo', id, ...args])

const contents = ({ directory }: WorkMission) =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter(name => !/^\.git(\/|$)/.test(name) && lstatSync(join(directory, name)).isFile())
      .sort()
      .map(name => [name, readFileSync(join(directory, name), 'utf8')]),
  )

test('the latest turn is undone, then the undo, then everything; turns count on', async () => {
  const { box, mission } = await start()
  await endTurn(box, mission, () => mission.write({ a: 'one\n' }))
  await endTurn(box, mission, () => mission.write({ a: 'two\n', 'new/b': 'b\n' }))
  expect(undo(box, mission)).toEqual({ id: mission.id, turn: 1, files: 2, recorded: 3 })
  expect(contents(mission)).toEqual({ a: 'one\n' })
  expect(existsSync(join(mission.directory, 'new'))).toBe(false)
  expect(undo(box, mission)).toMatchObject({ turn: 3, files: 2 })
  expect(contents(mission)).toEqual({ a: 'two\n', 'new/b': 'b\n' })
  expect(undo(box, mission, '--turn', '0')).toMatchObject({ turn: 0, files: 2 })
  expect(contents(mission)).toEqual({ a: 'base\n' })
  await endTurn(box, mission, () => mission.write({ c: 'c\n' }))
  undo(box, mission)
  expect(contents(mission)).toEqual({ a: 'base\n' })
  const shown = box.agencJson<{ changes: unknown }>(['mission', 'show', mission.id])
  expect(shown.changes).toMatchObject({ files: 0, dirty: false })
})

test('only the first turn: back to the start. A turn that was not recorded yet is the latest one', async () => {
  const { box, mission } = await start()
  await endTurn(box, mission, () => mission.write({ a: 'one\n' }))
  expect(undo(box, mission)).toMatchObject({ turn: 0, files: 1 })
  expect(contents(mission)).toEqual({ a: 'base\n' })
  await endTurn(box, mission, () => mission.write({ a: 'two\n' }))
  const db = await openStore(pathsAt(box.agencHome).database)
  new MissionService(db, () => new Date()).change(mission.id, {}, ['state', { state: 'busy' }])
  db.close()
  mission.write({ a: 'three\n' })
  undo(box, mission)
  expect(contents(mission)).toEqual({ a: 'two\n' })
})

test('every kind of change is taken back, and nothing else is touched', async () => {
  const { box, mission } = await start({
    '.gitignore': '*.log\n',
    '.gitattributes': '*.big filter=big\n',
    'x.big': 'pointer\n',
    dir: 'a file\n',
    'deep/file': 'd\n',
    gone: 'g\n',
    tool: 't\n',
    '.env': 'E=0\n',
    'sp ace\n"é': 's\n',
  })
  await endTurn(box, mission)
  const before = contents(mission)
  const ran = join(box.root, 'ran')
  writeFileSync(
    join(box.home, '.gitconfig'),
    `[filter "big"]\nclean = touch ${ran}\nsmudge = touch ${ran}\nrequired = true\n`,
  )
  await endTurn(box, mission, () => {
    rmSync(join(mission.directory, 'dir'))
    rmSync(join(mission.directory, 'gone'))
    rmSync(join(mission.directory, 'deep'), { recursive: true })
    chmodSync(join(mission.directory, 'tool'), 0o755)
    mission.write({ 'dir/inside': 'i\n', deep: 'now a file\n', 'sp ace\n"é': 'changed\n', '-new': 'n\n' })
    mission.write({ 'x.log': 'ignored\n', '.env': 'E=1\n', 'x.big': 'content\n' })
    symlinkSync('tool', join(mission.directory, 'link'))
  })
  mission.git('add', 'dir/inside')
  // The user's own git may have run the filter.
  rmSync(ran, { force: true })
  const repoBefore = untouched(join(mission.directory, '.git'))
  undo(box, mission)
  expect(contents(mission)).toEqual({
    ...before,
    'x.log': 'ignored\n',
    '.env': 'E=1\n',
    'x.big': 'content\n',
  })
  expect(lstatSync(join(mission.directory, 'tool')).mode & 0o111).toBe(0)
  expect(existsSync(join(mission.directory, 'link'))).toBe(false)
  const repoAfter = untouched(join(mission.directory, '.git'))
  const own = (files: Record<string, string>) =>
    Object.fromEntries(Object.entries(files).filter(([name]) => !/^(objects|refs\/agenc)(\/|$)/.test(name)))
  expect(own(repoAfter)).toEqual(own(repoBefore))
  expect(existsSync(ran)).toBe(false)
  undo(box, mission)
  expect(readlinkSync(join(mission.directory, 'link'))).toBe('tool')
  expect(contents(mission)).toMatchObject({ 'dir/inside': 'i\n', deep: 'now a file\n' })
})

test('commits stay: only the files go back', async () => {
  const { box, mission } = await start()
  await endTurn(box, mission)
  await endTurn(box, mission, () => void mission.commit({ a: 'committed\n' }))
  const head = mission.git('rev-parse', 'HEAD')
  undo(box, mission)
  expect(contents(mission)).toEqual({ a: 'base\n' })
  expect(mission.git('rev-parse', 'HEAD')).toBe(head)
  expect(mission.git('status', '--short')).toBe('M a')
})

test('a file that would be lost, or cannot be replaced, stops it before anything has changed', async () => {
  const { box, mission } = await start({ a: 'base\n' })
  await endTurn(box, mission, () => mission.write({ precious: 'recorded\n', a: 'one\n' }))
  await endTurn(box, mission, () => {
    rmSync(join(mission.directory, 'precious'))
    mission.write({ a: 'two\n', '.gitignore': 'precious\n' })
  })
  mission.write({ precious: 'ignored, and only here\n' })
  const inTheWay: Record<string, string>[] = [
    { precious: 'ignored, and only here\n' },
    { 'precious/inside': 'too\n' },
  ]
  for (const files of inTheWay) {
    rmSync(join(mission.directory, 'precious'), { recursive: true })
    mission.write(files)
    const ran = box.agenc(['mission', 'undo', mission.id, '--turn', '1'])
    expect(ran.exitCode).toBe(1)
    expect(ran.stderr).toMatch(/cannot put the files back: precious.* would be overwritten/)
    expect(contents(mission)).toEqual({ '.gitignore': 'precious\n', a: 'two\n', ...files })
  }
})

test('nor is a file lost where a directory must be', async () => {
  const { box, mission } = await start({ a: 'base\n' })
  await endTurn(box, mission, () => mission.write({ 'd/x': 'recorded\n' }))
  await endTurn(box, mission, () => {
    rmSync(join(mission.directory, 'd'), { recursive: true })
    mission.write({ d: 'ignored\n', '.gitignore': '/d\n' })
  })
  expect(box.agenc(['mission', 'undo', mission.id]).stderr).toContain('d would be overwritten')
  expect(contents(mission)).toMatchObject({ d: 'ignored\n' })
})

test('a file that cannot be written: all files are as before', async context => {
  const { box, mission } = await start({ 'a/x': 'base\n', 'b/x': 'base\n', 'c/x': 'base\n' })
  await endTurn(box, mission, () => mission.write({ 'a/x': 'one\n', 'b/x': 'one\n', 'c/x': 'one\n' }))
  const locked = join(mission.directory, 'b')
  if (spawnSync('chattr', ['+i', locked]).status !== 0) context.skip('cannot make a directory immutable')
  try {
    const ran = box.agenc(['mission', 'undo', mission.id])
    expect(ran.exitCode).toBe(1)
    expect(ran.stderr).toMatch(/cannot put the files back/)
    expect(contents(mission)).toEqual({ 'a/x': 'one\n', 'b/x': 'one\n', 'c/x': 'one\n' })
  } finally {
    execFileSync('chattr', ['-i', locked])
  }
  undo(box, mission, '--turn', '0')
  expect(contents(mission)).toEqual({ 'a/x': 'base\n', 'b/x': 'base\n', 'c/x': 'base\n' })
})

test('it says what is wrong: no turns, no such turn, not a number, no repo, no directory, a busy Claude', async () => {
  const { box, mission } = await start()
  const fails = (...args: string[]) => {
    const { exitCode, stderr } = box.agenc(['mission', 'undo', ...args])
    expect(exitCode).not.toBe(0)
    return stderr
  }
  expect(fails(mission.id)).toMatch(/no turn of .* was recorded\n.*--turn 0/)
  expect(fails(mission.id, '--turn', '7')).toMatch(/has no checkpoint 7\nIt has none/)
  expect(fails(mission.id, '--turn', '-1')).toContain('is not the number of a turn')
  expect(fails(mission.id, '--turn', 'x')).toContain('is not the number of a turn')
  await endTurn(box, mission, () => mission.write({ a: 'one\n' }))
  const lock = join(box.agencHome, 'missions', mission.id, 'undo.lock')
  mkdirSync(lock)
  expect(fails(mission.id)).toContain('another undo')
  rmSync(lock, { recursive: true })
  const db = await openStore(pathsAt(box.agencHome).database)
  const { pid, start: wrapperStart } = systemProbe(systemRunner).identify(process.pid)!
  const lease = { wrapper_pid: pid, wrapper_start: wrapperStart, heartbeat_at: new Date().toISOString() }
  for (const state of ['busy', 'waiting'] as const) {
    updateMission(db, mission.id, { ...lease, state })
    expect(fails(mission.id)).toMatch(/in the middle of a turn\n.*agenc mission stop/)
  }
  updateMission(db, mission.id, { wrapper_pid: null, wrapper_start: null, state: null })
  db.close()
  expect(contents(mission)).toEqual({ a: 'one\n' })
  rmSync(mission.directory, { recursive: true })
  expect(fails(mission.id)).toMatch(/no longer exists.*\n.*agenc mission resume/)
})
