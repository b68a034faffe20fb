import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { agencScript } from '../helpers/cli.ts'
import { runningMission, useIdleClaude } from '../helpers/missions.ts'
import { expectUsageError, recordsBox } from '../helpers/records.ts'
import { openTerminal } from '../helpers/terminal.ts'

test('a mission goes through new, ls, show, rename, archive, unarchive and rm', {
  timeout: 60_000,
}, async () => {
  const box = recordsBox()
  const mission = await box.create('app', '--name', 'fix it', '--permission-mode', 'plan', '--model', 'opus')
  expect(mission).toMatchObject({
    short_id: mission.id.slice(0, 8),
    name: 'fix it',
    repo: 'local/src/app',
    display: 'fix it',
    status: 'stopped',
    state: null,
    permission_mode: 'plan',
    permission_mode_source: 'mission',
    approve: 'ask',
    model: 'opus',
    session_id: mission.id,
    parent_id: null,
    tmux_window: null,
    wrapper_pid: null,
    dir: join(box.agencHome, 'missions', mission.id, 'agent'),
    last_exit: { code: 0, signal: null },
    pending: [],
    plans: [],
  })
  expect(readFileSync(join(mission.dir, 'README.md'), 'utf8')).toBe('hello\n')

  const blank = await box.create('--blank')
  expect(blank).toMatchObject({ repo: null, display: '(blank)', permission_mode_source: 'claude' })
  expect(readdirSync(blank.dir)).toEqual([])
  expect(box.missions().map(({ id }) => id)).toEqual([blank.id, mission.id])

  expect(box.agenc(['mission', 'show', mission.short_id]).stdout).toMatch(/^name +fix it$/m)
  expect(box.agencJson(['mission', 'rename', mission.short_id, ' new\u001b[31m\nname '])).toEqual({
    id: mission.id,
    name: 'new name',
  })
  expect(box.agencJson<MissionJson>(['mission', 'show', mission.id]).name).toBe('new name')
  box.agenc(['mission', 'rename', mission.id, ''])
  expect(box.agencJson<MissionJson>(['mission', 'show', mission.id])).toMatchObject({
    name: null,
    display: 'local/src/app',
  })

  expect(box.agenc(['mission', 'archive', mission.short_id, mission.id]).exitCode).toBe(0)
  expect(box.missions().map(({ id }) => id)).toEqual([blank.id])
  expect(box.missions('-a').map(({ id, status }) => [id, status])).toEqual([
    [blank.id, 'stopped'],
    [mission.id, 'archived'],
  ])
  expect(existsSync(mission.dir)).toBe(true)
  expect(box.agencJson(['mission', 'unarchive', mission.short_id])).toEqual([
    { id: mission.id, archived: false },
  ])
  expect(box.missions()).toHaveLength(2)

  expect(box.agencJson(['mission', 'rm', blank.short_id, mission.short_id, '--yes'])).toEqual([
    { id: blank.id, removed: true },
    { id: mission.id, removed: true },
  ])
  expect(box.missions('-a')).toEqual([])
  expect(readdirSync(join(box.agencHome, 'missions'))).toEqual([])
})

test('a clone has the same repo and the same files, uncommitted ones too', async () => {
  const box = recordsBox()
  const original = await box.create('app')
  writeFileSync(join(original.dir, 'draft'), 'not committed')
  const copy = await box.create('--clone', original.short_id)
  expect(copy).toMatchObject({ repo: 'local/src/app', parent_id: original.id })
  expect(readFileSync(join(copy.dir, 'draft'), 'utf8')).toBe('not committed')
})

test('a prompt reaches Claude unchanged, from an argument or from stdin', async () => {
  const box = recordsBox()
  const claude = join(box.root, 'claude')
  const script = `#!/bin/sh\n[ "$1" = --version ] || cat >'${box.root}/prompt'\n`
  writeFileSync(claude, script, { mode: 0o755 })
  const hostile = `-x "$(touch ${box.root}/pwned)" 'é' \\`
  await box.create('--blank', '--prompt', hostile)
  expect(readFileSync(join(box.root, 'prompt'), 'utf8')).toBe(hostile)
  // The pause makes stdin arrive in two parts.
  const piped = openTerminal(
    '/bin/sh',
    [
      '-c',
      `(printf 'from\\n'; sleep 1; printf stdin) | "$0" "$1" mission new --blank --prompt -`,
      process.execPath,
      agencScript,
    ],
    {
      env: box.env,
      cwd: box.root,
    },
  )
  expect(await piped.exited).toBe(0)
  expect(readFileSync(join(box.root, 'prompt'), 'utf8')).toBe('from\nstdin')
  expect(existsSync(join(box.root, 'pwned'))).toBe(false)
})

describe('bad usage is refused and creates nothing:', () => {
  test('options of mission new that exclude each other, and unknown values', async () => {
    const box = recordsBox()
    for (const args of [
      ['app', '--blank'],
      ['app', '--clone', 'abcd'],
      ['--blank', '--clone', 'abcd'],
      ['app', '--approve', 'maybe'],
    ]) {
      const terminal = box.terminal(['mission', 'new', ...args])
      expect(await terminal.exited, args.join(' ')).toBe(64)
    }
    expectUsageError(box.agenc(['mission', 'new', 'app']), /terminal/)
    expectUsageError(box.agenc(['mission', 'new']), /agenc: /)
    const unknown = box.terminal(['mission', 'new', 'no-such-repo'])
    expect(await unknown.exited).toBe(64)
    await unknown.waitForText('local/src/app')
    expect(box.missions('-a')).toEqual([])
    expect(
      existsSync(join(box.agencHome, 'missions')) ? readdirSync(join(box.agencHome, 'missions')) : [],
    ).toEqual([])
  })

  test('ids that are too short, unknown or missing', { timeout: 60_000 }, async () => {
    const box = recordsBox()
    expectUsageError(box.agenc(['mission', 'show', 'abcd']), /no missions yet/)
    const mission = await box.create('--blank', '--name', 'the\u202eonly one')
    expectUsageError(box.agenc(['mission', 'show', mission.id.slice(0, 3)]), /at least 4 characters/)
    expectUsageError(
      box.agenc(['mission', 'show', 'zzzz']),
      /no mission "zzzz"\nMissions:\n {2}[0-9a-f]{8} {2}theonly one\n/,
    )
    expectUsageError(box.agenc(['mission', 'show']), /agenc mission ls/)
    expectUsageError(box.agenc(['mission', 'archive']), /agenc mission ls/)
    expectUsageError(box.agenc(['mission', 'show', '.']), /"\."/)
    const inside = { env: { AGENC_MISSION_UUID: mission.id } }
    expect(box.agenc(['mission', 'show', '.'], inside).exitCode).toBe(0)
    expect(box.agenc(['mission', 'show', mission.id.toUpperCase()]).exitCode).toBe(0)
  })
})

describe('mission rm', () => {
  test('refuses to delete work that exists only here, and lists it', { timeout: 60_000 }, async () => {
    const box = recordsBox()
    const { id, dir, short_id } = await box.create('app')
    const refusal = () => box.agenc(['mission', 'rm', short_id, '--yes'])
    const git = (...args: string[]) => box.bench.git(dir.slice(box.root.length), ...args)

    writeFileSync(join(dir, 'new\u001b[31m file'), 'x')
    expect(refusal()).toMatchObject({ exitCode: 1, stdout: '' })
    expect(refusal().stderr).toMatch(/only here\n {2}1 untracked file: new file\n/)
    git('add', '--all')
    expect(refusal().stderr).toContain('1 uncommitted file: new file')
    git('commit', '--quiet', '--message', 'x')
    expect(refusal().stderr).toContain('1 unpushed commit')
    git('push', '--quiet', 'origin', 'HEAD:refs/heads/saved')
    git('fetch', '--quiet')
    writeFileSync(join(dir, 'README.md'), 'changed')
    git('stash')
    expect(refusal().stderr).toContain('1 stash')
    git('stash', 'drop', '--quiet')
    writeFileSync(join(dir, 'ignored'), 'may go')
    expect(box.missions().map(mission => mission.id)).toEqual([id])
    expect(refusal()).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    expect(existsSync(dir)).toBe(false)
  })

  test('deletes none of several if one is refused; --force deletes all', { timeout: 60_000 }, async () => {
    const box = recordsBox()
    const [clean, dirty] = [await box.create('app'), await box.create('--blank')]
    writeFileSync(join(dirty.dir, 'note'), 'x')
    const refused = box.agenc(['mission', 'rm', clean.short_id, dirty.short_id, '--yes'])
    expect(refused).toMatchObject({ exitCode: 1 })
    expect(refused.stderr).toContain('files in a directory that is not a git repo')
    expect(box.missions()).toHaveLength(2)
    expect(box.agenc(['mission', 'rm', clean.short_id, dirty.short_id, '--yes', '--force']).exitCode).toBe(0)
    expect(box.missions()).toEqual([])
  })

  test('asks for confirmation, and needs --yes without a terminal', async () => {
    const box = recordsBox()
    const { short_id } = await box.create('--blank', '--name', 'precious')
    expectUsageError(box.agenc(['mission', 'rm', short_id]), /confirmation\n.*--yes/)
    for (const keys of ['n\r', '\r', '\u0003', '\u001b']) {
      const terminal = box.terminal(['mission', 'rm', short_id])
      await terminal.waitForText(`Delete ${short_id} precious?`)
      terminal.type(keys)
      expect(await terminal.exited).toBe(130)
    }
    expect(box.missions()).toHaveLength(1)
    const terminal = box.terminal(['mission', 'rm', short_id])
    await terminal.waitForText('Delete')
    terminal.type('y\r')
    expect(await terminal.exited).toBe(0)
    expect(box.missions()).toEqual([])
  })

  test('checks again after the confirmation, because the mission may have started or changed', async () => {
    const box = recordsBox()
    const { dir, short_id } = await box.create('app')
    const asked = async () => {
      const terminal = box.terminal(['mission', 'rm', short_id])
      await terminal.waitForText('Delete')
      return terminal
    }
    const beforeWork = await asked()
    writeFileSync(join(dir, 'note'), 'x')
    beforeWork.type('y\r')
    expect(await beforeWork.exited).toBe(1)
    expect(beforeWork.screen()).toContain('1 untracked file: note')
    rmSync(join(dir, 'note'))

    const beforeStart = await asked()
    useIdleClaude(box)
    box.terminal(['mission', 'resume', short_id])
    await runningMission(box)
    beforeStart.type('y\r')
    expect(await beforeStart.exited).toBe(1)
    expect(beforeStart.screen()).toContain('is running')
    expect(box.missions()).toMatchObject([{ short_id, status: 'running' }])
    expect(existsSync(dir)).toBe(true)
  })
})

test('mission stop ends a mission that started while the picker was open', async () => {
  const box = recordsBox()
  const { short_id } = await box.create('--blank')
  const picker = box.terminal(['mission', 'stop'])
  await picker.waitForText(short_id)
  useIdleClaude(box)
  box.terminal(['mission', 'resume', short_id])
  await runningMission(box)
  picker.type('\r')
  expect(await picker.exited).toBe(0)
  expect(box.missions()).toMatchObject([{ short_id, status: 'stopped' }])
})
