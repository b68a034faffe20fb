import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agencScript, sandbox } from '../helpers/cli.ts'
import { writeProgram } from '../helpers/missions.ts'
import { sessionBox } from '../helpers/session.ts'
import { standInClaude } from '../helpers/stand-in.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

/** A sandbox whose Claude lists its modes. */
function modeBox() {
  const box = sandbox()
  const bin = join(box.root, 'bin')
  standInClaude(bin)
  box.env.PATH = `${bin}:${box.env.PATH}`
  const config = () => readFileSync(join(box.agencHome, 'config.json'), 'utf8')
  return { ...box, config }
}

describe('config set of an unknown permission mode', () => {
  test.each([
    ['acceptedits', /Did you mean acceptEdits\?/],
    ['Plan', /Did you mean plan\?/],
    ['dont-ask', /Did you mean dontAsk\?/],
    ['bypasspermissions', /Known modes: .*plan/],
    ['autoaccept', /Known modes: .*plan/],
    ['frobnicate', /Known modes: .*plan/],
  ])('%s is refused', (mode, advice) => {
    const box = modeBox()
    for (const key of ['claude.permission_mode', 'repos.github.com/o/r.permission_mode']) {
      const { exitCode, stderr } = box.agenc(['config', 'set', key, mode])
      expect(stderr).toMatch(advice)
      expect(stderr).toContain(`unknown permission mode "${mode}"`)
      expect(stderr).toContain(`agenc config set ${key} ${mode} --force`)
      expect(exitCode).toBe(64)
    }
    expect(existsSync(join(box.agencHome, 'config.json'))).toBe(false)
  })

  test('is taken with --force, with a warning', () => {
    const box = modeBox()
    const forced = box.agenc(['config', 'set', 'claude.permission_mode', 'newest', '--force'])
    expect(forced).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^agenc: Unknown mode "newest"/),
    })
    expect(box.agencJson(['config', 'get', 'claude.permission_mode'])).toBe('newest')
  })

  test.each(['default', 'acceptEdits', 'manual', 'allowedTools', 'auto-accept', 'bypassPermissions'])(
    '%s is known',
    mode => {
      const done = modeBox().agenc(['config', 'set', 'claude.permission_mode', mode])
      expect(done).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    },
  )

  test('is refused without a Claude, too', () => {
    const box = sandbox()
    box.agenc(['config', 'set', 'claude.command', '/nonexistent/claude'])
    expect(box.agenc(['config', 'set', 'claude.permission_mode', 'acceptedits']).exitCode).toBe(64)
    expect(box.agenc(['config', 'set', 'claude.permission_mode', 'acceptEdits']).exitCode).toBe(0)
  })

  test('a mode that only this Claude knows is known', () => {
    const box = modeBox()
    const help = 'echo \'--permission-mode <mode>  (choices: "default", "brandNew")\''
    const claude = writeProgram(
      join(box.root, 'claude'),
      `[ "$1" = --version ] && echo 9.9.9 && exit\n${help}`,
    )
    box.agenc(['config', 'set', 'claude.command', claude])
    expect(box.agenc(['config', 'set', 'claude.permission_mode', 'brandNew']).exitCode).toBe(0)
    expect(box.agenc(['config', 'set', 'claude.permission_mode', 'brandnew']).exitCode).toBe(64)
  })

  test('setup refuses it, and config edit warns', async () => {
    const box = modeBox()
    const { exitCode, stderr } = box.agenc(['setup', '--yes', '--permission-mode', 'acceptedits'])
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 64, stderr: expect.stringMatching(/acceptEdits/) })
    const editor = writeProgram(
      join(box.root, 'editor'),
      'printf \'{"claude":{"permission_mode":"acceptedits"}}\' >"$1"',
    )
    const terminal = openTerminal(process.execPath, [agencScript, 'config', 'edit'], {
      env: { ...box.env, VISUAL: editor },
    })
    expect(await terminal.exited).toBe(0)
    expect(terminal.screen()).toMatch(/Unknown mode "acceptedits"; [\s\S]*Did you mean acceptEdits\?/)
    expect(box.config()).toContain('acceptedits')
  })
})

test('a mission whose Claude refuses its mode says so in its window and in ls', async () => {
  const box = sessionBox()
  const first = await box.start()
  writeFileSync(
    join(box.agencHome, 'config.json'),
    JSON.stringify({ claude: { permission_mode: 'acceptedits' } }),
  )
  const made = box.agenc(['mission', 'new', '--blank', '--no-focus'], { env: box.inside(first.id) })
  const id = made.stdout.trim()
  await box.waitForState(id, 'stopped')
  const window = await waitFor('its window', () =>
    box.windows().find(({ name }) => name.includes(id.slice(0, 8))),
  )
  const screen = await waitFor('the advice', () => {
    const text = box.tmux('capture-pane', '-p', '-J', '-t', window.id)
    return text.includes('Enter: resume') && text
  })
  expect(screen).toContain('agenc: Claude ended right after its start (exit code 1).')
  expect(screen).toContain('it does not know the permission mode "acceptedits"')
  expect(screen).toContain('agenc config set claude.permission_mode')
  for (const command of [['mission', 'ls'], ['status'], ['mission', 'show', id]])
    expect(box.agenc(command).stdout).toMatch(/failed to start/)
  expect(box.mission(id)).toMatchObject({ status: 'stopped', last_exit: { code: 1 } })
})
