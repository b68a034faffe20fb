import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { topics } from '../../src/cli/help/topics.ts'
import { defaultConfig } from '../../src/config/read.ts'
import { findProgram } from '../../src/system/find-program.ts'
import { agencScript } from '../helpers/cli.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

function activeWindow(box: SessionBox): string {
  return box.windows().find(({ isActive }) => isActive)!.id
}

describe('a mission that an agent starts does not take the user along', () => {
  const agents: [string, (mission: string) => NodeJS.ProcessEnv][] = [
    ['CLAUDECODE', () => ({ CLAUDECODE: '1' })],
    ['a parent mission and no terminal', mission => ({ AGENC_MISSION_UUID: mission })],
  ]
  describe.each(agents)('%s', (_title, agent) => {
    test('new, fork and resume', async () => {
      const box = sessionBox()
      const a = await box.start()
      const b = await box.startFrom(a.id, '--no-focus', '--prompt', 'hello')
      const env = { ...box.inside(b.id), ...agent(b.mission) }
      const run = (...args: string[]) => {
        const done = box.agenc(['mission', ...args], { env })
        expect(done, args.join(' ')).toMatchObject({ exitCode: 0 })
        return done.stdout.trim()
      }
      const made = run('new', '--blank')
      run('fork', b.mission)
      await box.waitForState(made, 'idle')
      run('resume', made)
      expect(box.agenc(['mission', 'stop', made]).exitCode).toBe(0)
      run('resume', made)
      expect(activeWindow(box)).toBe(a.id)

      const seen = run('new', '--blank', '--focus')
      expect(activeWindow(box)).toBe(box.windowOf(seen)!.id)
      run('resume', made, '--focus')
      expect(activeWindow(box)).toBe(box.windowOf(made)!.id)
    })
  })

  test('keys that the user presses still do, if an agent started the tmux server', async () => {
    const box = sessionBox()
    const made = box.agenc(['mission', 'new', '--blank', '--detach'], {
      env: { CLAUDECODE: '1', AGENC_MISSION_UUID: '3f2a91bc-0000-4000-8000-000000000000' },
    })
    await box.waitForState(made.stdout.trim(), 'idle')
    const terminal = box.attach()
    await terminal.waitForText(made.stdout.slice(0, 8))
    const table = () => box.tmux('list-clients', '-F', '#{client_key_table}').trim()
    terminal.type('\u0002')
    await waitFor('the prefix', () => table() === 'prefix')
    terminal.type('a')
    await waitFor('the key table', () => table() === 'agenc')
    terminal.type('f')
    const fork = await waitFor('the fork', () => box.windows()[1])
    expect(fork.isActive).toBe(true)
  })
})

describe('outside the session', () => {
  test.each([[['--no-focus']], [['--detach']], [[]]])(
    'without a terminal, new %j opens a window in the running session and prints the id',
    async flags => {
      const box = sessionBox()
      const a = await box.start()
      const made = box.agenc(['mission', 'new', '--blank', ...flags])
      expect(made).toMatchObject({ exitCode: 0, stderr: '' })
      const mission = await box.waitForState(made.stdout.trim(), 'idle')
      expect(mission.tmux_window).toBe(box.windows()[1]!.id)
      expect(activeWindow(box)).toBe(a.id)
    },
  )

  test('--no-focus in a terminal says how to go there, and so do resume and fork', async () => {
    const box = sessionBox()
    const a = await box.start()
    const b = await box.startFrom(a.id, '--no-focus', '--prompt', 'hello')
    box.agenc(['mission', 'stop', b.mission])
    for (const args of [
      ['new', '--blank'],
      ['resume', b.mission],
      ['fork', b.mission],
    ]) {
      const terminal = openTerminal(process.execPath, [agencScript, 'mission', ...args, '--no-focus'], {
        env: box.env,
      })
      expect(await terminal.exited).toBe(0)
      expect(terminal.screen()).toContain('Go there with: agenc tmux attach')
    }
    expect(box.windows()).toHaveLength(4)
    expect(activeWindow(box)).toBe(a.id)
  })

  test.each([[['--no-focus']], [[]]])('without a session, new %j says how to get one', flags => {
    const box = sessionBox()
    const refused = box.agenc(['mission', 'new', '--blank', ...flags])
    expect(refused).toMatchObject({ exitCode: 64, stdout: '' })
    expect(refused.stderr).toMatch(/there is no agenc session.*\n.*--detach.*agenc tmux attach/)
    expect(box.missions()).toEqual([])
  })

  test('--detach creates the session, with its keys, in the background', async () => {
    const box = sessionBox()
    const made = box.agenc(['mission', 'new', '--blank', '--detach'])
    expect(made).toMatchObject({ exitCode: 0, stderr: '' })
    const id = made.stdout.trim()
    await box.waitForState(id, 'idle')
    expect(box.windows()).toMatchObject([{ mission: id, name: expect.stringContaining(id.slice(0, 8)) }])
    expect(box.tmux('list-keys', '-T', 'agenc')).toContain('mission')
    expect(box.tmux('show-environment', '-t', '=agenc:')).not.toContain(id)
    expect(box.agenc(['mission', 'stop', id]).exitCode).toBe(0)
    expect(box.agenc(['mission', 'resume', id, '--detach']).exitCode).toBe(0)
    await box.waitForState(id, 'idle')
  })

  test('a session of another home is refused', async () => {
    const box = sessionBox()
    await box.start()
    const elsewhere = { AGENC_DIRPATH: join(box.root, 'elsewhere') }
    const refused = box.agenc(['mission', 'new', '--blank', '--detach'], { env: elsewhere })
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toContain(`the agenc session uses ${box.agencHome}`)
  })
})

test("every example of 'agenc help json' works as written", () => {
  const box = sessionBox()
  const launcher = join(box.root, 'bin', 'agenc')
  writeFileSync(launcher, `#!/bin/sh\nexec '${process.execPath}' '${agencScript}' "$@"\n`)
  chmodSync(launcher, 0o755)
  const repo = box.addRepo('name')
  const lines = topics
    .json!.text(defaultConfig)
    .flatMap(part => (typeof part === 'object' && 'lines' in part ? part.lines : []))
  const commands = lines.join('\n').replaceAll('|\n', '|').split('\n')
  expect(commands.length).toBeGreaterThan(2)
  const hasJq = findProgram('jq', box.env) !== null
  if (!hasJq) console.log('jq is not installed, so the examples that use it are skipped')
  for (const command of commands.filter(text => hasJq || !text.includes('jq'))) {
    const script = command.replaceAll('owner/name', repo)
    const done = spawnSync('/bin/sh', ['-e', '-c', script], { env: box.env, encoding: 'utf8' })
    expect({ command, exitCode: done.status, stderr: done.stderr }).toEqual({
      command,
      exitCode: 0,
      stderr: '',
    })
  }
  expect(box.missions()).toHaveLength(1)
})
