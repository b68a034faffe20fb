import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { topics } from '../../src/cli/help/topics.ts'
import { agencScript, type Sandbox, sandbox } from '../helpers/cli.ts'
import { gitBench } from '../helpers/git.ts'
import { storeMissions } from '../helpers/missions.ts'
import { sessionBox } from '../helpers/session.ts'
import { openTerminal, type Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

function open(box: Sandbox, args: string[], columns = 80, env: NodeJS.ProcessEnv = {}): Terminal {
  return openTerminal(process.execPath, [agencScript, ...args], {
    env: { ...box.env, ...env },
    cwd: box.home,
    columns,
    rows: 100,
  })
}

describe('agenc alone', () => {
  test('prints help if there is no terminal', () => {
    const box = sandbox()
    const shown = box.agenc([])
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' })
    expect(shown.stdout).toMatch(/Usage: agenc[\s\S]*Topics[\s\S]*agenc setup/)
    expect(existsSync(box.agencHome)).toBe(false)
  })

  test('the first time, welcomes and runs setup; after Ctrl-C the next run is the first again', async () => {
    const box = sandbox()
    for (let time = 1; time <= 2; time++) {
      const terminal = open(box, [])
      await terminal.waitForText('Welcome to agenc.')
      await terminal.waitForText(/^\? Editor/m)
      terminal.type('\u0003')
      expect(await terminal.exited).toBe(130)
    }
    expect(existsSync(box.agencHome)).toBe(false)
  })

  test('the first time, setup ends in the session', async () => {
    const session = sessionBox()
    const terminal = open(session, [], 120)
    await terminal.waitForText(/^\? Editor/m)
    // Every question gets its default. The last ones depend on the machine.
    await waitFor('the session', () => {
      if (/^\? /m.test(terminal.screen())) terminal.type('\r')
      return terminal.screen().includes('(blank)')
    })
    expect(session.windows()).toHaveLength(1)
    terminal.type('\u0003')
    expect(await terminal.exited).toBe(0)
  })

  test('a key that hides one of tmux is named', async () => {
    const box = sessionBox()
    const terminal = open(box, ['setup'], 120)
    await terminal.waitForText(/^\? Editor/m)
    for (const question of ['Permission mode', 'Approvals', 'Key after the tmux prefix']) {
      terminal.type('\r')
      await terminal.waitForText(`? ${question}`)
    }
    terminal.type('d\r')
    await terminal.waitForText('hides detach-client there. Detach there with C-b d d.')
    terminal.type('\u0003')
    expect(await terminal.exited).toBe(130)
    const flagged = box.agenc(['setup', '--yes', '--hotkey', 'd'])
    expect(flagged).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('hides detach-client') })
    expect(box.agenc(['setup', '--yes', '--hotkey', 'a']).stderr).not.toContain('hides')
  })

  test('after setup, opens the session', async () => {
    const session = sessionBox()
    expect(session.agenc(['setup', '--yes']).exitCode).toBe(0)
    const terminal = open(session, [], 120)
    await terminal.waitForText('(blank)')
    terminal.type('\u0003')
    expect(await terminal.exited).toBe(0)
  })
})

describe('agenc help <topic>', () => {
  test.each(Object.keys(topics))('%s fits 80 and 40 columns', async topic => {
    const box = sandbox()
    const shown = box.agenc(['help', topic])
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' })
    expect(shown.stdout.length).toBeGreaterThan(200)
    expect(shown.stdout.split('\n').filter(line => line.length > 80)).toEqual([])
    const narrow = box.agenc(['help', topic], { env: { COLUMNS: '40' } }).stdout.split('\n')
    const tooLong = narrow.filter(line => line.length > 40 && line.trim().includes('  '))
    expect(tooLong).toEqual([])
    // Apart from the signs of the status line, which a terminal without UTF-8 gets as ASCII.
    expect(shown.stdout).not.toMatch(/[^\u0000-\u007f·✓●✗]/)
  })

  test('shows the configured keys, and works with an unreadable home', () => {
    const box = sandbox()
    box.agenc(['config', 'set', 'tmux.prefix_key', 'g'])
    expect(box.agenc(['help', 'keys']).stdout).toContain('prefix g n')
    const broken = box.agenc(['help', 'keys'], { env: { AGENC_DIRPATH: '/dev/null/x' } })
    expect(broken).toMatchObject({ exitCode: 0, stderr: '' })
  })

  test('agenc help lists the topics; other words are commands or an error', () => {
    const box = sandbox()
    for (const name of Object.keys(topics)) expect(box.agenc(['help']).stdout).toContain(`\n  ${name} `)
    expect(box.agenc(['help', 'repo', 'add']).stdout).toContain('agenc repo add')
    expect(box.agenc(['help', 'nonsense']).exitCode).toBe(64)
    expect(box.agenc(['help', 'constructor']).exitCode).toBe(64)
  })
})

describe('lists', () => {
  test.each([
    [40, { LC_ALL: 'C' }],
    [40, {}],
    // Wider, the settings would take more than the 4096 bytes that libuv reads after the end of a program.
    [100, {}],
  ])('in %i columns with %j', async (columns, env) => {
    const box = sandbox()
    const wide = {
      repo: 'github.com/some-organisation/a-rather-long-name',
      name: '日本語の名前 and more of it',
    }
    await storeMissions(box, [wide, { name: 'x'.repeat(90) }])
    for (const args of [['mission', 'ls'], ['status'], ['editor', 'ls'], ['config', 'ls']]) {
      const plain = box.agenc(args).stdout.trimEnd().split('\n').length
      const terminal = open(box, args, columns, env)
      expect(await terminal.exited).toBe(0)
      const lines = await waitFor('the list', () => {
        const shown = terminal.screen().split('\n')
        return shown.length >= plain && shown
      })
      expect(lines, args.join(' ')).toHaveLength(plain)
      if ('LC_ALL' in env) expect(lines.join('\n')).not.toMatch(/[^\u0000-\u007f]/)
    }
  })

  test('a pipe gets every character in any locale', async () => {
    const box = sandbox()
    await storeMissions(box, [{ name: '日本語' }])
    expect(box.agenc(['mission', 'ls'], { env: { LC_ALL: 'C' } }).stdout).toContain('日本語')
  })

  test('times are relative in tables and exact in JSON', async () => {
    const box = sandbox()
    const [id] = await storeMissions(box, [
      { last_active_at: new Date(Date.now() - 7_200_000).toISOString() },
    ])
    expect(box.agenc(['mission', 'ls']).stdout).toMatch(/\s2h\s*$/)
    const [mission] = box.agencJson<{ id: string; last_active_at: string }[]>(['mission', 'ls'])
    expect(mission).toMatchObject({ id, last_active_at: expect.stringMatching(/^\d{4}-.*Z$/) })
  })
})

describe('--quiet', () => {
  test('prints results and errors but no progress', async () => {
    const box = sandbox()
    gitBench(box.root, box.env).repo('app')
    const source = join(box.root, 'app')
    expect(box.agenc(['repo', 'add', source, '--quiet']).stderr).toBe('')
    expect(box.agenc(['repo', 'add', source]).stderr).toContain('already')
    expect(box.agenc(['repo', 'add', source, '-q'])).toMatchObject({ exitCode: 0, stderr: '' })
    expect(box.agenc(['repo', 'update']).stderr).not.toBe('')
    expect(box.agenc(['repo', 'update', '-q'])).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    const [id] = await storeMissions(box, [{}])
    expect(box.agenc(['mission', 'stop', id!]).stderr).toContain('was not running')
    expect(box.agenc(['mission', 'stop', id!, '-q'])).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    expect(box.agenc(['tmux', 'restore', '-q'])).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    const failed = box.agenc(['repo', 'rm', 'nothing', '-q'])
    expect(failed).toMatchObject({ exitCode: 64, stderr: expect.stringContaining('agenc: no repo') })
  })
})
