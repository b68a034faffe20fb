import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { agencScript } from '../helpers/cli.ts'
import { sessionBox } from '../helpers/session.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

test('without a terminal, attach fails before it creates anything', () => {
  const box = sessionBox()
  const done = box.agenc(['tmux', 'attach'])
  expect(done).toMatchObject({ exitCode: 64, stdout: '' })
  expect(done.stderr).toMatch(/^agenc: .*terminal/)
  expect(() => box.tmux('list-sessions')).toThrow(/no server|No such file/)
})

test('inside the agenc session, attach says so', async () => {
  const box = sessionBox()
  const a = await box.start()
  expect(box.agenc(['tmux', 'attach'], { env: box.inside(a.id) })).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: 'You are already in the agenc session.\n',
  })
})

test('the session has the size of the terminal, survives a detach, and attach returns to it', async () => {
  const box = sessionBox()
  const terminal = box.attach({ columns: 91, rows: 27 })
  await terminal.waitForText('(blank)')
  terminal.type('\r')
  const first = await waitFor('the first mission', () => box.windows().find(({ mission }) => mission))
  expect(box.tmux('display-message', '-p', '-t', first.id, '#{window_width}x#{window_height}').trim()).toBe(
    '91x26',
  )
  expect(box.agenc(['tmux', 'detach'])).toMatchObject({ exitCode: 0 })
  expect(await terminal.exited).toBe(0)
  const again = box.attach()
  await again.waitForText(first.mission.slice(0, 8))
  expect(box.windows()).toHaveLength(1)
})

test('inside another tmux session, attach switches the client, which returns when the last window ends', async () => {
  const box = sessionBox()
  const terminal = openTerminal('tmux', ['new-session', '-s', 'mine', '/bin/sh'], {
    env: box.env,
    columns: 100,
    rows: 30,
  })
  await terminal.waitForText('shell$')
  terminal.type(`${process.execPath} ${agencScript} tmux attach\r`)
  await terminal.waitForText('(blank)')
  terminal.type('\r')
  const first = await waitFor('the first mission', () => box.windows().find(({ mission }) => mission))
  await box.waitForState(first.mission, 'idle')
  terminal.type('/exit')
  terminal.type('\r')
  await waitFor('the client back in its own session', () =>
    box.tmux('list-clients', '-F', '#{session_name}').includes('mine'),
  )
  await waitFor('the end of the other', () => box.tmux('list-sessions', '-F', '#{session_name}') === 'mine\n')
  await terminal.waitForText('shell$')
})

test('if the recorded server is gone, the session is created on the current server', async () => {
  const box = sessionBox()
  await box.start()
  box.tmux('kill-server')
  const work = (...args: string[]) => box.tmux('-L', 'work', ...args)
  const terminal = openTerminal('tmux', ['-L', 'work', 'new-session', '-s', 'mine', '/bin/sh'], {
    env: box.env,
  })
  onTestFinished(() => void work('kill-server'))
  await terminal.waitForText('shell$')
  terminal.type(`${process.execPath} ${agencScript} tmux attach\r`)
  await terminal.waitForText('Restore it? (Y/n)')
  terminal.type('n\r')
  await terminal.waitForText('(blank)')
  expect(work('list-clients', '-F', '#{session_name}')).toBe('agenc\n')
})

test('inside a private tmux in a pane, the agenc session is still the recorded one', async () => {
  const box = sessionBox()
  const a = await box.start()
  const inner = (...args: string[]) => box.tmux('-L', 'inner', ...args)
  inner('new-session', '-d', '-s', 'mine', 'cat')
  onTestFinished(() => void inner('kill-server'))
  const TMUX = inner('display-message', '-p', '-t', '=mine:', '#{socket_path},#{pid},0').trim()
  const env = { AGENC_TMUX: '1', TMUX, TMUX_PANE: '%0' }
  expect(JSON.parse(box.agenc(['mission', 'ls', '--json'], { env }).stdout)).toMatchObject([
    { tmux_window: a.id },
  ])
  const terminal = box.attach({ env })
  await terminal.waitForText('on another tmux server')
  expect(await terminal.exited).toBe(1)
  expect(inner('list-sessions', '-F', '#{session_name}')).toBe('mine\n')
})

test('detach from a popup detaches the client that shows it, even if another client was used later', async () => {
  const box = sessionBox()
  await box.start()
  const terminal = box.attach()
  await terminal.waitForText('1 idle')
  box.tmux('new-session', '-d', '-s', 'other', 'cat')
  const other = openTerminal('tmux', ['attach-session', '-t', '=other'], { env: box.env })
  await other.waitForText('[other]')
  const command = `read -r _; ${process.execPath} ${agencScript} tmux detach`
  box.tmux('bind-key', '-n', 'F5', 'display-popup', '-E', '/bin/sh', '-c', command)
  terminal.type('\u001b[15~')
  await terminal.waitForText('┌')
  terminal.type('\r')
  other.type('hello')
  expect(await terminal.exited).toBe(0)
  expect(box.tmux('list-clients', '-F', '#{session_name}')).toBe('other\n')
})

test('the home of a running session overrides the caller’s, with a warning', async () => {
  const box = sessionBox()
  await box.start()
  const terminal = box.attach({ env: { AGENC_DIRPATH: join(box.root, 'elsewhere') } })
  await waitFor('the warning', () => terminal.raw().includes(`started with ${box.agencHome}`))
  const format = '#{client_name}'
  await waitFor('the client', () => box.tmux('list-clients', '-t', '=agenc', '-F', format).trim() !== '')
  expect(box.tmux('show-environment', '-t', '=agenc', 'AGENC_DIRPATH').trim()).toBe(
    `AGENC_DIRPATH=${box.agencHome}`,
  )
})

test('attach refreshes the environment that missions need, but no variables of a running Claude', async () => {
  const box = sessionBox()
  await box.start()
  const terminal = box.attach({
    env: {
      HTTPS_PROXY: 'http://127.0.0.1:9',
      ANTHROPIC_MODEL: 'x',
      CLAUDE_CODE_CHILD_SESSION: '1',
      SECRET: 'y',
    },
  })
  await waitFor('the client', () => box.tmux('list-clients', '-t', '=agenc').trim() !== '')
  const environment = box.tmux('show-environment', '-t', '=agenc')
  expect(environment).toContain('HTTPS_PROXY=http://127.0.0.1:9')
  expect(environment).toContain('ANTHROPIC_MODEL=x')
  expect(environment).toContain('AGENC_TMUX=1')
  expect(environment).not.toMatch(/CHILD_SESSION|SECRET/)
  terminal.kill()
})

describe('tmux version', () => {
  test.each([
    ['tmux 3.1c', 69],
    ['tmux 2.9a', 69],
    ['tmux 3.2', 64],
    ['tmux next-3.6', 64],
    ['tmux master', 64],
    ['tmux openbsd-7.5', 64],
  ])('%s', (version, exitCode) => {
    const box = sessionBox()
    const bin = join(box.root, 'fake')
    mkdirSync(bin)
    writeFileSync(join(bin, 'tmux'), `#!/bin/sh\n[ "$1" = -V ] && echo '${version}'\n`)
    chmodSync(join(bin, 'tmux'), 0o755)
    const done = box.agenc(['tmux', 'attach'], { env: { PATH: `${bin}:${box.env.PATH}` } })
    expect(done.exitCode).toBe(exitCode)
    if (exitCode === 69) {
      expect(done.stderr).toContain(version)
      expect(done.stderr).toContain('3.2')
    }
  })
})

describe('on a tmux server that is already running', () => {
  test('the first mission gets the environment of the caller, however long', async () => {
    const box = sessionBox()
    box.tmux('new-session', '-d', '-s', 'mine', 'cat')
    const headers = `X-Long: ${'x'.repeat(17_000)}\nX-Quote: it's "$HOME" #{pid};`
    const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', ANTHROPIC_CUSTOM_HEADERS: headers }
    const terminal = box.attach({ env })
    await terminal.waitForText('(blank)')
    terminal.type('\r')
    const { mission } = await waitFor('the first mission', () => box.windows().find(({ mission }) => mission))
    const { claude_pid } = await box.waitForState(mission, 'idle')
    const own = readFileSync(`/proc/${claude_pid}/environ`, 'utf8').split('\0')
    expect(own).toContain(`ANTHROPIC_BASE_URL=${env.ANTHROPIC_BASE_URL}`)
    expect(own).toContain(`ANTHROPIC_CUSTOM_HEADERS=${headers}`)
  })

  test('an existing session gets the new environment, however long', async () => {
    const box = sessionBox()
    const { id } = await box.start()
    const headers = `X-Long: ${'x'.repeat(17_000)}`
    const terminal = box.attach({ env: { ANTHROPIC_CUSTOM_HEADERS: headers } })
    await terminal.waitForText('❯')
    const { mission } = await box.startFrom(id)
    const { claude_pid } = box.mission(mission)
    expect(readFileSync(`/proc/${claude_pid}/environ`, 'utf8').split('\0')).toContain(
      `ANTHROPIC_CUSTOM_HEADERS=${headers}`,
    )
  })
})

test.each([
  ['broken settings', '{'],
  ['an unknown key', '{"tmux":{"prefix_key":"Frob"}}'],
])('attach reports %s and leaves no session behind', async (_title, settings) => {
  const box = sessionBox()
  box.tmux('new-session', '-d', '-s', 'mine', 'cat')
  mkdirSync(box.agencHome, { recursive: true })
  writeFileSync(join(box.agencHome, 'config.json'), settings)
  const terminal = box.attach()
  await terminal.waitForText('agenc:')
  expect(await terminal.exited).toBe(78)
  expect(box.tmux('list-sessions', '-F', '#{session_name}')).toBe('mine\n')
})

test('detach inside a session without clients leaves the clients of other sessions alone', async () => {
  const box = sessionBox()
  const { id } = await box.start()
  box.tmux('new-session', '-d', '-s', 'other', 'cat')
  const other = openTerminal('tmux', ['attach-session', '-t', '=other'], { env: box.env })
  await other.waitForText('[other]')
  expect(box.agenc(['tmux', 'detach'], { env: box.inside(id) })).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('No client is attached'),
  })
  expect(box.tmux('list-clients', '-F', '#{session_name}')).toBe('other\n')
})

test('prefix C-z gives the terminal back to the shell, and fg continues', async () => {
  const box = sessionBox()
  await box.start()
  const shell = openTerminal('bash', ['--norc', '--noprofile', '-i'], { env: { ...box.env, PS1: 'shell$ ' } })
  await shell.waitForText('shell$')
  const attach = `${process.execPath} ${agencScript} tmux attach\r`
  for (const command of [attach, 'fg\r', 'fg\r']) {
    shell.type(command)
    await waitFor('the session', () => box.tmux('list-clients', '-F', '#{session_name}') === 'agenc\n')
    await shell.waitForText('❯')
    shell.type('\u0002\u001a')
    await shell.waitForText('Stopped')
    shell.type('clear\r')
    await waitFor('a clear screen', () => !shell.screen().includes('Stopped'))
  }
  shell.type('fg\r')
  await shell.waitForText('❯')
  shell.type('\u0002d')
  await shell.waitForText('detached')
})
