import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { newMissionId } from '../../src/mission-id.ts'
import { systemProbe } from '../../src/system/process-identity.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { guardOf } from '../faults/mission-processes.ts'
import { type Sandbox, sandbox } from '../helpers/cli.ts'
import { storeMissions } from '../helpers/missions.ts'
import { needLinux } from '../helpers/needs.ts'
import { tryKill, untilGone } from '../helpers/processes.ts'
import { type RecordsBox, recordsBox } from '../helpers/records.ts'
import { smallDisk } from '../helpers/small-disk.ts'
import { waitFor } from '../helpers/wait.ts'
import { type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

const storeOf = ({ agencHome }: Sandbox) => join(agencHome, 'database.sqlite')
const asideOf = ({ agencHome }: Sandbox) =>
  readdirSync(agencHome).filter(
    name => /^database\.sqlite\.lost-[^.]*$/.test(name) && !/-(wal|shm)$/.test(name),
  )

const losses: [string, (path: string) => void][] = [
  ['emptied', path => truncateSync(path)],
  ['deleted', path => rmSync(path)],
  ['cut in half', path => truncateSync(path, statSync(path).size / 2)],
]

const commands = [
  ['mission', 'ls'],
  ['mission', 'new', '--blank'],
  ['mission', 'stop', '--all'],
  ['status'],
  ['repo', 'ls'],
  ['tmux', 'restore'],
]

describe.each(losses)('a store that was %s', (_title, lose) => {
  test('is refused by every command and left as it is', async () => {
    const box = sandbox()
    await storeMissions(box, [{ name: 'one' }, { name: 'two' }])
    lose(storeOf(box))
    const before = existsSync(storeOf(box)) ? readFileSync(storeOf(box)) : null
    for (const command of commands) {
      const { exitCode, stdout, stderr } = box.agenc(command)
      expect({ command, exitCode, stdout }).toEqual({ command, exitCode: 1, stdout: '' })
      expect(stderr).toMatch(/store .* (is empty|is gone|is cut off)/)
      expect(stderr).toContain('agenc doctor --fix')
    }
    expect(existsSync(storeOf(box)) ? readFileSync(storeOf(box)) : null).toEqual(before)
    const doctor = box.agenc(['doctor', '--json'])
    expect(doctor.exitCode).toBe(1)
    expect(JSON.parse(doctor.stdout)).toContainEqual(
      expect.objectContaining({ check: 'store', status: 'problem' }),
    )
  })

  test('is rebuilt by doctor --fix, and its file is kept', async () => {
    const box = recordsBox()
    await box.create('src/app', '--name', 'the first', '--approve', 'rules')
    const second = await box.create('--blank', '--model', 'opus')
    box.agenc(['mission', 'rename', second.id, 'renamed'])
    box.agenc(['mission', 'archive', second.id])
    const before = box.missions('-a')
    expect(before.map(({ status }) => status).sort()).toEqual(['archived', 'stopped'])
    lose(storeOf(box))
    const left = existsSync(storeOf(box)) ? readFileSync(storeOf(box)) : null
    const fixed = box.agenc(['doctor', '--fix'])
    expect(fixed.stderr).toContain('rebuilt the store')
    expect(box.missions('-a')).toEqual(before)
    expect(box.agencJson<{ id: string }[]>(['repo', 'ls']).map(({ id }) => id)).toEqual(['local/src/app'])
    expect(asideOf(box)).toHaveLength(left === null ? 0 : 1)
    for (const name of asideOf(box)) expect(readFileSync(join(box.agencHome, name))).toEqual(left)
  })
})

test('a mission without a record of its own is rebuilt from its directory', async () => {
  const box = recordsBox()
  const mission = await box.create('src/app', '--name', 'forgotten')
  rmSync(join(mission.dir, '..', 'record.json'))
  rmSync(storeOf(box))
  box.agenc(['doctor', '--fix'])
  expect(box.missions()).toMatchObject([
    { id: mission.id, repo: 'local/src/app', name: null, session_id: mission.id, status: 'stopped' },
  ])
})

test('a new home, and one without missions, start with a new store', () => {
  const box = sandbox()
  mkdirSync(join(box.agencHome, 'missions'), { recursive: true })
  writeFileSync(storeOf(box), '')
  expect(box.agenc(['mission', 'ls'])).toMatchObject({ exitCode: 0 })
  expect(box.agenc(['repo', 'ls'])).toMatchObject({ exitCode: 0 })
})

/** Nothing of the mission is lost, and it goes on in the new store until its end. */
async function expectItGoesOn(box: WrapperBox, id: string, terminal: { type(text: string): void }) {
  await waitFor('a doctor that finds nothing wrong', () => {
    const { stdout } = box.agenc(['doctor', '--json'])
    const lines: { check: string; status: string; message: string }[] = JSON.parse(stdout)
    const wrong = lines.filter(
      ({ check, status }) => ['store', 'leftovers'].includes(check) && status !== 'ok',
    )
    if (wrong.length > 0) throw new Error(JSON.stringify(wrong))
    return true
  })
  await box.turn(id, terminal as never, 'Go on. [[text going on]]')
  expect(box.agencJson<MissionJson>(['mission', 'show', id])).toMatchObject({
    status: 'running',
    state: 'idle',
    name: 'kept',
  })
  terminal.type('/exit\r')
  await box.until(id, 'stopped')
  expect(box.record(id)).toMatchObject({ ended_by: 'user', exit_code: 0 })
}

describe('while a mission runs', () => {
  test.for([
    ['the store', ['']],
    ['its log', ['-wal']],
    ["its log's index", ['-shm']],
    ['the log with its index', ['-wal', '-shm']],
    ['every file of the store', ['', '-wal', '-shm']],
  ] as const)(
    '%s is deleted: the mission puts it back with everything in it',
    async ([, suffixes], context) => {
      needLinux(context)
      const box = wrapperBox()
      const { id, terminal } = await box.mission('--name', 'kept')
      await box.turn(id, terminal, 'Hello. [[text hello]]')
      const history = box.history(id)
      for (const suffix of suffixes) rmSync(`${storeOf(box)}${suffix}`)
      const refused = box.agenc(['mission', 'ls'])
      expect(refused.stderr).toMatch(/is gone|was deleted/)
      expect(refused.exitCode).toBe(1)
      expect(box.agenc(['doctor', '--fix']).stderr).toContain('a running mission has put the store back')
      expect(box.history(id).slice(0, history.length)).toEqual(history)
      await expectItGoesOn(box, id, terminal)
    },
  )

  test.each(losses.filter(([title]) => title !== 'deleted'))(
    'the store is %s: doctor rebuilds it, and the mission goes on in it',
    async (_title, lose) => {
      const box = wrapperBox()
      const { id, terminal } = await box.mission('--name', 'kept')
      lose(storeOf(box))
      expect(JSON.parse(box.agenc(['doctor', '--json']).stdout)).toContainEqual(
        expect.objectContaining({ check: 'store', status: 'problem' }),
      )
      expect(box.agenc(['doctor', '--fix']).stderr).toContain('rebuilt the store')
      expect(box.agencJson<MissionJson>(['mission', 'show', id])).toMatchObject({ status: 'running' })
      await expectItGoesOn(box, id, terminal)
    },
  )

  test('the store is emptied, and the mission ends: it is stopped in the rebuilt store', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission('--name', 'kept')
    truncateSync(storeOf(box))
    terminal.type('/exit\r')
    await terminal.exited
    expect(box.agenc(['mission', 'ls']).exitCode).toBe(1)
    box.agenc(['doctor', '--fix'])
    expect(box.agencJson<MissionJson[]>(['mission', 'ls'])).toMatchObject([
      { id, name: 'kept', status: 'stopped', last_exit: { code: 0 } },
    ])
  })
})

test('the log of a killed mission is deleted: the loss is noticed, and doctor finds the mission', async () => {
  const box = wrapperBox()
  const { id } = await box.mission('--name', 'kept')
  const { wrapper_pid, claude_pid } = box.record(id)
  // Without its guard, no process stores the log's changes after the wrapper's end.
  const guard = guardOf(wrapper_pid!)
  for (const pid of [guard, wrapper_pid!, claude_pid!]) tryKill(pid, 'SIGKILL')
  await untilGone(guard, wrapper_pid, claude_pid)
  expect(existsSync(`${storeOf(box)}-wal`)).toBe(true)
  rmSync(`${storeOf(box)}-wal`)
  expect(box.agenc(['mission', 'ls']).stderr).toContain('was deleted')
  box.agenc(['doctor', '--fix'])
  expect(box.agencJson<MissionJson[]>(['mission', 'ls'])).toMatchObject([
    { id, name: 'kept', status: 'crashed' },
  ])
})

describe('doctor', () => {
  const findings = (box: RecordsBox | Sandbox, ...args: string[]) =>
    (JSON.parse(box.agenc(['doctor', '--json', ...args]).stdout) as { check: string; message: string }[])
      .filter(({ check }) => check === 'leftovers')
      .map(({ message }) => message)

  test('finds a directory that the store does not know at once, and adds it', async () => {
    const box = sandbox()
    const [id] = await storeMissions(box, [{}])
    const lost = newMissionId()
    mkdirSync(join(box.agencHome, 'missions', lost, 'agent'), { recursive: true })
    writeFileSync(join(box.agencHome, 'missions', lost, 'agent', 'work'), 'x')
    expect(findings(box)).toEqual([expect.stringContaining(lost)])
    findings(box, '--fix')
    expect(
      box
        .agencJson<MissionJson[]>(['mission', 'ls'])
        .map(mission => mission.id)
        .sort(),
    ).toEqual([id, lost].sort())
  })
  test('does not mistake a mission that is being made for a lost one, and sweeps one whose maker was killed', async () => {
    const box = sandbox()
    await storeMissions(box, [{}])
    const id = newMissionId()
    const root = join(box.agencHome, 'missions', id)
    mkdirSync(join(root, 'agent'), { recursive: true })
    writeFileSync(join(root, 'agent', 'half'), 'x')
    const maker = systemProbe(systemRunner).identify(process.pid)!
    writeFileSync(join(root, 'maker'), JSON.stringify(maker))
    expect(findings(box)).toEqual(['crashed missions left nothing behind'])
    writeFileSync(join(root, 'maker'), JSON.stringify({ ...maker, start: `${maker.start}0` }))
    expect(findings(box)).toEqual([expect.stringContaining('interrupted')])
    findings(box, '--fix')
    expect(existsSync(root)).toBe(false)
  })

  test('finds nothing unfinished after mission new', async () => {
    const box = recordsBox()
    const { dir } = await box.create('--blank')
    expect(existsSync(join(dir, '..', 'maker'))).toBe(false)
    expect(existsSync(join(dir, '..', 'record.json'))).toBe(true)
  })
})

describe('a store that cannot be used: the message names the cause', () => {
  test('a directory in its place', () => {
    const box = sandbox()
    mkdirSync(storeOf(box), { recursive: true })
    expect(box.agenc(['mission', 'ls'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('it is a directory'),
    })
  })

  test('another process has locked it', async () => {
    const box = sandbox()
    await storeMissions(box, [{}])
    const db = new Sqlite(storeOf(box))
    onTestFinished(() => void db.close())
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
    const { exitCode, stderr } = await box.agencAsync(['mission', 'ls'])
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('another process keeps it locked'),
    })
  })

  test('the disk is full', async context => {
    const box = sandbox()
    const disk = smallDisk(context, box.agencHome)
    const [id] = await storeMissions(box, [{}])
    disk.fill()
    for (const command of [
      ['mission', 'rename', id!, 'x'.repeat(50)],
      ['mission', 'archive', id!],
    ]) {
      const { exitCode, stderr } = box.agenc(command)
      expect({ command, exitCode }).toEqual({ command, exitCode: 1 })
      expect(stderr).toMatch(/disk is full/)
      expect(stderr).not.toContain('AGENC_DEBUG')
    }
  })
})

test('two doctors at once rebuild a store once, and leave nothing behind', async () => {
  const box = sandbox()
  const [id] = await storeMissions(box, [{}])
  rmSync(storeOf(box))
  await Promise.all([1, 2, 3].map(() => box.agencAsync(['doctor', '--fix'])))
  expect(box.agencJson<MissionJson[]>(['mission', 'ls'])).toMatchObject([{ id }])
  expect(asideOf(box)).toEqual([])
  expect(readdirSync(box.agencHome).filter(name => name.endsWith('.tmp'))).toEqual([])
})
