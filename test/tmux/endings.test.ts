import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { migrations } from '../../src/db/migrations.ts'
import { pathsAt } from '../../src/paths.ts'
import { isAlive } from '../helpers/processes.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

const processesOf = (box: SessionBox) =>
  box.missions().flatMap(({ wrapper_pid, claude_pid }) => [wrapper_pid!, claude_pid!])

const statuses = (box: SessionBox) => box.missions().map(({ status }) => status)

async function twoMissions(box: SessionBox) {
  const a = await box.start()
  const b = await box.startFrom(a.id, '--prompt', 'hello [[text good morning]]')
  await waitFor('an answer', () => box.tmux('capture-pane', '-p', '-t', b.id).includes('good morning'))
  return { a, b }
}

describe('missions closed by the user are stopped', () => {
  test.each([
    ['the only session', false],
    ['one of two sessions', true],
  ])('kill-session of %s', async (_title, hasOther) => {
    const box = sessionBox()
    await twoMissions(box)
    if (hasOther) box.tmux('new-session', '-d', '-s', 'other', 'sleep 1000')
    const processes = processesOf(box)
    box.tmux('kill-session', '-t', '=agenc')
    await waitFor('all processes to end', () => !processes.some(isAlive))
    expect(statuses(box)).toEqual(['stopped', 'stopped'])
    expect((statSync(pathsAt(box.agencHome).sessionClosed).mode & 0o777).toString(8)).toBe('600')
    expect(box.agenc(['tmux', 'restore'])).toMatchObject({
      exitCode: 0,
      stderr: 'There is nothing to restore.\n',
    })
  })
})

test('the environment of the first restored mission is not the environment of the session', async () => {
  const box = sessionBox()
  await box.start()
  box.tmux('kill-server')
  await waitFor('the store to know', () => statuses(box).every(status => status === 'crashed'))
  expect(box.agenc(['tmux', 'restore'])).toMatchObject({ exitCode: 0 })
  expect(box.missions().map(({ status }) => status)).toEqual(['running'])
  expect(box.tmux('show-environment', '-t', '=agenc:')).not.toContain('AGENC_MISSION_UUID')
})

describe('missions crash when tmux goes down, and restore reopens them', () => {
  test.each([
    ['kill-server', (box: SessionBox) => void box.tmux('kill-server')],
    [
      'kill -9 of the server',
      (box: SessionBox) => void process.kill(Number(box.tmux('display-message', '-p', '#{pid}')), 'SIGKILL'),
    ],
    [
      'kill -9 of everything',
      (box: SessionBox) => {
        const server = Number(box.tmux('display-message', '-p', '#{pid}'))
        for (const pid of [...processesOf(box), server]) process.kill(pid, 'SIGKILL')
      },
    ],
  ])('%s', async (_title, strike) => {
    const box = sessionBox()
    const { a, b } = await twoMissions(box)
    const processes = processesOf(box)
    strike(box)
    await waitFor('all processes to end', () => !processes.some(isAlive))
    expect(statuses(box)).toEqual(['crashed', 'crashed'])
    const terminal = box.attach()
    await terminal.waitForText('2 missions were running. Restore them? (Y/n)')
    terminal.type('n\r')
    await terminal.waitForText('(blank)')
    await terminal.waitForText('agenc tmux restore')
    terminal.type('\u0002d')
    await terminal.exited

    const restored = box.agenc(['tmux', 'restore'])
    expect(restored).toMatchObject({ exitCode: 0 })
    expect(restored.stderr.match(/ restored$/gm)).toHaveLength(2)
    expect(restored.stderr).toMatch(/^\[1\/2] .*\n\[2\/2] /)
    expect(statuses(box)).toEqual(['running', 'running'])
    const window = box.windowOf(b.mission)!
    await waitFor('its conversation', () =>
      box.tmux('capture-pane', '-p', '-t', window.id).includes('good morning'),
    )
    expect(box.windowOf(a.mission)).toMatchObject({ mission: a.mission, panes: 1 })
    expect(box.agenc(['tmux', 'restore']).stderr).toBe('There is nothing to restore.\n')
    expect(box.windows().filter(({ mission }) => mission !== '')).toHaveLength(2)
  })

  test('restore works after a reboot, with old pids and start times and no socket', async () => {
    const box = sessionBox()
    await twoMissions(box)
    const processes = processesOf(box)
    box.tmux('kill-server')
    await waitFor('all processes to end', () => !processes.some(isAlive))
    const { default: Sqlite } = await import('better-sqlite3')
    const db = new Sqlite(`${box.agencHome}/database.sqlite`)
    db.prepare(
      "UPDATE missions SET wrapper_pid = ?, wrapper_start = 'another-boot:1:1', ended_by = NULL",
    ).run(process.pid)
    db.close()
    for (const name of readdirSync(box.env.TMUX_TMPDIR!))
      rmSync(join(box.env.TMUX_TMPDIR!, name), { recursive: true })
    expect(statuses(box)).toEqual(['crashed', 'crashed'])
    expect(box.agenc(['tmux', 'restore']).exitCode).toBe(0)
    expect(statuses(box)).toEqual(['running', 'running'])
  })

  test("a crashed mission is resumed in its own pane, next to the user's panes", async () => {
    const box = sessionBox()
    const a = await box.start()
    const b = await box.startFrom(a.id, '--prompt', 'hello [[text good morning]]')
    box.tmux('split-window', '-t', b.id, 'cat')
    process.kill(box.mission(b.mission).wrapper_pid!, 'SIGKILL')
    await waitFor('the reason', () => box.windowOf(b.mission)?.state === 'crashed')
    expect(box.agenc(['mission', 'resume', b.mission], { env: box.inside(a.id) }).exitCode).toBe(0)
    await box.waitForState(b.mission, 'idle')
    expect(box.windows().map(({ id, panes }) => [id, panes])).toEqual([
      [a.id, 1],
      [b.id, 2],
    ])
    expect(box.mission(b.mission).tmux_window).toBe(b.id)
  })

  test('the home of a running session overrides the caller’s, with a warning', async () => {
    const box = sessionBox()
    const a = await box.start()
    box.tmux('kill-server')
    await box.waitForState(a.mission, 'crashed')
    const elsewhere = { AGENC_DIRPATH: join(box.root, 'elsewhere') }
    const terminal = box.attach({ env: elsewhere })
    await terminal.waitForText('(blank)')
    terminal.type('\r')
    await waitFor('the other mission', () => box.windows().find(({ state }) => state === 'idle'))
    for (const command of ['restore', 'inject-config']) {
      const done = box.agenc(['tmux', command])
      expect(done.exitCode).toBe(0)
      expect(done.stderr).toContain(`started with ${elsewhere.AGENC_DIRPATH}`)
    }
    expect(box.windows()).toHaveLength(1)
    expect(box.tmux('list-keys', '-T', 'agenc')).not.toContain(box.agencHome)
    expect(box.agenc(['tmux', 'kill']).stderr).toContain('keeps using it')
    const [other] = JSON.parse(box.agenc(['mission', 'ls', '--json'], { env: elsewhere }).stdout)
    expect(other).toMatchObject({ status: 'stopped', last_exit: { code: 143 } })
  })

  test('restore names each mission that it cannot reopen, with the reason', async () => {
    const box = sessionBox()
    const { b } = await twoMissions(box)
    const transcript = box.mission(b.mission)
    const processes = processesOf(box)
    box.tmux('kill-server')
    await waitFor('all processes to end', () => !processes.some(isAlive))
    const { rmSync } = await import('node:fs')
    rmSync(`${box.home}/.claude/projects`, { recursive: true, force: true })
    const restored = box.agenc(['tmux', 'restore', '--json'])
    expect(restored.exitCode).toBe(1)
    expect(JSON.parse(restored.stdout)).toContainEqual({
      id: transcript.id,
      restored: false,
      reason: expect.stringContaining('is gone'),
    })
  })
})

describe('agenc tmux kill', () => {
  test.each([
    ['from inside a pane', (box: SessionBox, window: string) => box.inside(window)],
    ['from a popup', (box: SessionBox, window: string) => ({ ...box.inside(window), TMUX_PANE: undefined })],
    ['from outside', () => ({})],
  ])('%s', async (_title, env) => {
    const box = sessionBox()
    const { a } = await twoMissions(box)
    box.tmux('new-session', '-d', '-s', 'other', 'sleep 1000')
    const processes = processesOf(box)
    expect(box.agenc(['tmux', 'kill'], { env: env(box, a.id) })).toMatchObject({ exitCode: 0 })
    await waitFor('the session to end', () => !box.tmux('list-sessions').includes('agenc'))
    expect(processes.filter(isAlive)).toEqual([])
    expect(statuses(box)).toEqual(['stopped', 'stopped'])
    expect(box.tmux('show-hooks', '-g')).not.toContain('session-closed[4711]')
  })

  test("with many missions, and a pane and a window of the user's own", async () => {
    const box = sessionBox()
    const { id } = await box.start()
    for (let more = 0; more < 7; more++)
      box.agenc(['mission', 'new', '--blank', '--no-focus'], { env: box.inside(id) })
    await waitFor('all of them to run', () => box.missions().every(({ state }) => state === 'idle'))
    box.tmux('new-session', '-d', '-s', 'other', 'sleep 1000')
    box.tmux('split-window', '-d', '-t', id, 'sleep 1000')
    box.tmux('new-window', '-d', '-t', '=agenc:', 'sleep 1000')
    const processes = processesOf(box)
    expect(box.agenc(['tmux', 'kill'])).toMatchObject({ exitCode: 0, stderr: '' })
    expect(box.tmux('list-sessions', '-F', '#{session_name}')).toBe('other\n')
    expect(processes).toHaveLength(16)
    expect(processes.filter(isAlive)).toEqual([])
    expect(new Set(statuses(box))).toEqual(new Set(['stopped']))
  })

  test("from Claude's own Bash tool", async () => {
    const box = sessionBox()
    box.agenc(['config', 'set', 'claude.permission_mode', 'default'])
    const { a } = await twoMissions(box)
    const { agencScript } = await import('../helpers/cli.ts')
    const processes = processesOf(box)
    box.tmux(
      'send-keys',
      '-t',
      a.id,
      '-l',
      `[[bash ${process.execPath} ${agencScript} tmux kill]] [[text done]]`,
    )
    box.tmux('send-keys', '-t', a.id, 'Enter')
    await box.waitForState(a.mission, 'waiting')
    await waitFor('all processes to end', () => {
      if (box.mission(a.mission).state === 'waiting') box.tmux('send-keys', '-t', a.id, '1')
      return !processes.some(isAlive)
    })
    await waitFor('the store to know', () => statuses(box).every(status => status === 'stopped'))
  })

  test('a client that came from another session returns there', async () => {
    const box = sessionBox()
    await box.start()
    box.tmux('new-session', '-d', '-s', 'mine', 'cat')
    const terminal = openTerminal('tmux', ['attach-session', '-t', '=mine'], { env: box.env })
    await terminal.waitForText('[mine]')
    box.tmux('switch-client', '-t', '=agenc')
    expect(box.agenc(['tmux', 'kill'])).toMatchObject({ exitCode: 0, stderr: '' })
    expect(box.tmux('list-clients', '-F', '#{session_name}')).toBe('mine\n')
  })

  test('from inside, a failure is shown to the clients of the session', async () => {
    const box = sessionBox()
    const { id } = await box.start()
    const terminal = box.attach()
    await terminal.waitForText('❯')
    const db = new Sqlite(join(box.agencHome, 'database.sqlite'))
    db.pragma('user_version = 99')
    expect(box.agenc(['tmux', 'kill'], { env: box.inside(id) })).toMatchObject({ exitCode: 0 })
    await terminal.waitForText('was written by a newer agenc')
    db.pragma(`user_version = ${migrations.length}`)
    db.close()
    expect(box.missions().map(({ status }) => status)).toEqual(['running'])
  })

  test('a session whose home was deleted ends too', async () => {
    const box = sessionBox()
    const { id } = await box.start()
    box.tmux('new-window', '-d', '-t', '=agenc:', 'sleep 1000')
    box.tmux('kill-window', '-t', id)
    await waitFor('the mission to end', () => statuses(box)[0] === 'stopped')
    rmSync(box.agencHome, { recursive: true })
    expect(box.agenc(['tmux', 'kill'])).toMatchObject({ exitCode: 0, stderr: '' })
    expect(() => box.tmux('list-sessions')).toThrow()
  })

  test('without a session, kill says so', () => {
    const box = sessionBox()
    expect(box.agenc(['tmux', 'kill'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'There is no agenc session.\n',
    })
  })

  test.each(['kill', 'detach', 'inject-config'])(
    '%s does not report "no session" if tmux cannot be asked',
    async command => {
      const box = sessionBox()
      const { mission } = await box.start()
      const bin = join(box.root, 'fake')
      mkdirSync(bin)
      writeFileSync(join(bin, 'tmux'), '#!/bin/sh\necho "lost server" >&2\nexit 1\n', { mode: 0o755 })
      const done = box.agenc(['tmux', command], { env: { PATH: `${bin}:${box.env.PATH}` } })
      expect(done).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('lost server') })
      expect(box.mission(mission).status).toBe('running')
    },
  )

  test('kill reports "no session" if tmux has ended while it was asked', () => {
    const box = sessionBox()
    const bin = join(box.root, 'fake')
    mkdirSync(bin)
    const ending = `[ -e '${bin}/asked' ] && PATH='${box.env.PATH}' exec tmux "$@"\n: >'${bin}/asked'`
    const script = `#!/bin/sh\n${ending}\necho "server exited unexpectedly" >&2\nexit 1\n`
    writeFileSync(join(bin, 'tmux'), script, { mode: 0o755 })
    const done = box.agenc(['tmux', 'kill'], { env: { PATH: `${bin}:${box.env.PATH}` } })
    expect(done).toMatchObject({ exitCode: 0, stderr: 'There is no agenc session.\n' })
  })
})
