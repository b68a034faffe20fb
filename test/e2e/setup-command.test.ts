import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agencScript, type Sandbox, sandbox } from '../helpers/cli.ts'
import { gitBench } from '../helpers/git.ts'
import { pathWithout } from '../helpers/path-without.ts'
import { openTerminal, type Terminal } from '../helpers/terminal.ts'
import { tmuxBench } from '../helpers/tmux.ts'

const enter = '\r'
const down = '\u001b[B'
const questions = [
  'Editor',
  'Permission mode',
  'Approvals',
  'Key after the tmux',
  'Notifications',
  'First repo',
  'Do you trust',
  'Completion for fish',
] as const
type Asked = (typeof questions)[number]

function freshBox(): Sandbox {
  const box = sandbox()
  gitBench(box.root, box.env).repo('home/src/app')
  box.env.SHELL = '/usr/bin/fish'
  return box
}

function openSetup(box: Sandbox, options: { args?: string[]; columns?: number } = {}): Terminal {
  return openTerminal(process.execPath, [agencScript, ...(options.args ?? ['setup'])], {
    env: box.env,
    cwd: box.home,
    columns: options.columns ?? 100,
    rows: 60,
  })
}

/** Presses the given keys at the given questions and Enter at all others. Returns all screens. */
async function walk(
  terminal: Terminal,
  keys: Partial<Record<Asked, string>>,
  until?: Asked,
): Promise<string[]> {
  const screens: string[] = []
  for (const question of questions.slice(0, until ? questions.indexOf(until) : undefined)) {
    screens.push(await terminal.waitForText(new RegExp(`^\\? ${question}`, 'm')))
    terminal.type(keys[question] ?? enter)
  }
  return screens
}

function settings(box: Sandbox): Record<string, unknown> {
  const { $schema, ...rest } = JSON.parse(readFileSync(join(box.agencHome, 'config.json'), 'utf8'))
  expect($schema).toBe('./config.schema.json')
  return rest
}

describe('with a terminal', () => {
  test('Enter at every question keeps the defaults, adds the repo and prints the next steps', async () => {
    const box = freshBox()
    const terminal = openSetup(box)
    const screens = await walk(terminal, {})
    expect(await terminal.exited).toBe(0)
    await terminal.waitForText(/Next steps:[\s\S]*C-b a n +start a mission there/)
    expect(screens[1]).toMatch(/bypassPermissions +DANGEROUS/)
    expect(screens[3]).toContain('C-b a is free in your tmux')
    expect(screens[5]).toContain('~/src/app')
    expect(settings(box)).toEqual({})
    expect(box.agencJson(['repo', 'ls'])).toMatchObject([{ id: 'local/src/app', trusted: false }])
    expect(existsSync(join(box.home, '.config/fish/completions/agenc.fish'))).toBe(true)
  })

  test('answers are saved, and are the defaults of the next run', async () => {
    const box = freshBox()
    const terminal = openSetup(box)
    await walk(terminal, {
      'Permission mode': `${down.repeat(3)}${enter}`,
      Approvals: `${down}${enter}`,
      'Key after the tmux': `g${enter}`,
      Notifications: `${down.repeat(2)}${enter}`,
      'Do you trust': `y${enter}`,
      'Completion for fish': `n${enter}`,
    })
    expect(await terminal.exited).toBe(0)
    const chosen = {
      claude: { permission_mode: 'plan' },
      approvals: { mode: 'rules' },
      tmux: { prefix_key: 'g' },
      notify: { bell: true },
    }
    expect(settings(box)).toEqual(chosen)
    expect(box.agencJson(['repo', 'ls'])).toMatchObject([{ trusted: true }])
    expect(existsSync(join(box.home, '.config'))).toBe(false)

    const again = openSetup(box, { args: ['setup', '--no-repo', '--no-completion'] })
    await walk(again, {}, 'First repo')
    expect(await again.exited).toBe(0)
    expect(settings(box)).toEqual(chosen)
  })

  test.each(questions)('Ctrl-C at "%s" changes nothing', async question => {
    const box = freshBox()
    const terminal = openSetup(box)
    await walk(terminal, {}, question)
    await terminal.waitForText(new RegExp(`^\\? ${question}`, 'm'))
    terminal.type('\u0003')
    expect(await terminal.exited).toBe(130)
    expect(existsSync(box.agencHome)).toBe(false)
    expect(existsSync(join(box.home, '.config'))).toBe(false)
  })

  test('asks again for a key that tmux does not know', async () => {
    const box = freshBox()
    const terminal = openSetup(box)
    await walk(terminal, {}, 'Key after the tmux')
    await terminal.waitForText(/^\? Key after/m)
    terminal.type(`nosuchkey${enter}`)
    await terminal.waitForText('is not a key that tmux knows')
    terminal.kill('SIGTERM')
  })

  test.each([
    ['40 columns, no UTF-8', 40, { LC_ALL: 'C', LANG: 'C' }],
    ['200 columns', 200, {}],
    ['without fzf', 80, { PATH: '' }],
  ])('%s', async (_, columns, env) => {
    const box = freshBox()
    Object.assign(box.env, env)
    if (box.env.PATH === '') box.env.PATH = pathWithout(process.env.PATH!, ['fzf'])
    const terminal = openSetup(box, { columns })
    const screens = await walk(terminal, {})
    expect(await terminal.exited).toBe(0)
    const shown = [...screens, terminal.screen()].join('\n')
    expect(Math.max(...shown.split('\n').map(line => line.length))).toBeLessThanOrEqual(columns)
    expect(/[^\u0000-\u007f]/.test(shown)).toBe(columns !== 40)
    expect(terminal.raw()).not.toMatch(/\u001b\[3\dm/)
  })
})

describe('the key is looked up in the user’s own tmux, which', () => {
  const config = 'set -g prefix C-a\nbind a send-prefix\n'

  test('is running', async () => {
    const { box } = tmuxBench({ box: freshBox(), config, sessions: ['other'] })
    const terminal = openSetup(box)
    await walk(terminal, {}, 'Key after the tmux')
    await terminal.waitForText('C-a a is bound in your tmux (send-prefix)')
    terminal.kill('SIGTERM')
  })

  test('is not running: its file is read, but none of its commands run', async () => {
    const box = freshBox()
    const ran = join(box.root, 'ran')
    writeFileSync(join(box.home, '.tmux.conf'), `${config}run-shell "touch ${ran}"\nrun "touch ${ran}"\n`)
    const terminal = openSetup(box)
    await walk(terminal, {}, 'Key after the tmux')
    await terminal.waitForText('C-a a is bound in your tmux (send-prefix)')
    terminal.kill('SIGTERM')
    expect(existsSync(ran)).toBe(false)
  })
})

describe('without a terminal', () => {
  test('keeps the defaults', () => {
    const box = sandbox()
    const done = box.agenc(['setup'])
    expect(done).toMatchObject({ exitCode: 0, stdout: '' })
    expect(done.stderr).toContain('agenc repo add owner/name')
    expect(settings(box)).toEqual({})
  })

  test('takes every answer as a flag', () => {
    const box = freshBox()
    const flags = [
      '--editor',
      'kitty',
      '--permission-mode',
      'acceptEdits',
      '--approve',
      'all',
      '--hotkey',
      'F5',
    ]
    const more = [
      '--notify',
      'none',
      '--repo',
      './src/app',
      '--trust',
      '--completion',
      'bash',
      '--yes',
      '--json',
    ]
    const done = box.agenc(['setup', ...flags, ...more], { cwd: box.home })
    expect(done.exitCode).toBe(0)
    expect(JSON.parse(done.stdout)).toMatchObject({ editor: 'kitty', hotkey: 'F5', repo_error: null })
    expect(settings(box)).toEqual({
      editor: { name: 'kitty' },
      claude: { permission_mode: 'acceptEdits' },
      approvals: { mode: 'all' },
      tmux: { prefix_key: 'F5' },
      notify: { message: false },
    })
    expect(box.agencJson(['repo', 'ls'])).toMatchObject([{ id: 'local/src/app', trusted: true }])
    expect(existsSync(join(box.home, '.local/share/bash-completion/completions/agenc'))).toBe(true)
  })

  test('keeps other settings, and removes a setting that returns to its default', () => {
    const box = sandbox()
    box.agenc(['config', 'set', 'editor.command', 'my-editor', '{dir}'])
    box.agenc(['config', 'set', 'approvals.mode', 'all'])
    expect(box.agenc(['setup', '--yes', '--approve', 'ask']).exitCode).toBe(0)
    expect(settings(box)).toEqual({ editor: { command: ['my-editor', '{dir}'] }, approvals: {} })
    expect(box.agenc(['setup', '--yes', '--editor', 'auto']).exitCode).toBe(0)
    expect(settings(box)).toEqual({ editor: {}, approvals: {} })
  })

  test.each([
    [['--editor', 'emacs9'], 64],
    [['--approve', 'everything'], 64],
    [['--notify', 'loudly'], 64],
    [['--completion', 'tcsh'], 64],
    [['--hotkey', 'C-m'], 78],
    [['--hotkey', 'nosuchkey'], 78],
  ])('%j is refused before anything is written', (flags, exitCode) => {
    const box = sandbox()
    expect(box.agenc(['setup', '--yes', ...flags]).exitCode).toBe(exitCode)
    expect(existsSync(join(box.agencHome, 'config.json'))).toBe(false)
  })

  test.each([
    ['.local', 'a file in the way'],
    ['.local/share/bash-completion/completions/agenc/', 'a directory in its place'],
  ])('exits with 1 if completion cannot be written (%s), but does the rest', path => {
    const box = freshBox()
    if (path.endsWith('/')) mkdirSync(join(box.home, path), { recursive: true })
    else writeFileSync(join(box.home, path), '')
    const args = ['setup', '--yes', '--completion', 'bash', '--repo', './src/app', '--json']
    const done = box.agenc(args, { cwd: box.home })
    expect(done.exitCode).toBe(1)
    expect(done.stderr).toMatch(/^agenc: cannot write .*completions\/agenc: .*\n.*'agenc completion bash'/m)
    expect(JSON.parse(done.stdout)).toMatchObject({
      completion: 'bash',
      completion_error: expect.stringContaining('cannot write'),
      repo_error: null,
    })
    expect(box.agencJson(['repo', 'ls'])).toMatchObject([{ id: 'local/src/app' }])
  })

  test('exits with 1 if the repo cannot be cloned, but does the rest', () => {
    const box = sandbox()
    mkdirSync(join(box.root, 'no-repo'))
    const done = box.agenc(['setup', '--yes', '--approve', 'rules', '--repo', './no-repo'])
    expect(done.exitCode).toBe(1)
    expect(done.stderr).toContain('is not a git repo')
    expect(settings(box)).toEqual({ approvals: { mode: 'rules' } })
  })

  test('does not overwrite settings that it cannot read', () => {
    const box = sandbox()
    mkdirSync(box.agencHome)
    writeFileSync(join(box.agencHome, 'config.json'), '{ broken')
    expect(box.agenc(['setup', '--yes']).exitCode).toBe(78)
    expect(readFileSync(join(box.agencHome, 'config.json'), 'utf8')).toBe('{ broken')
  })

  test('works without tmux', () => {
    const box = sandbox()
    const done = box.agenc(['setup', '--yes'], { env: { PATH: pathWithout(process.env.PATH!, ['tmux']) } })
    expect(done.exitCode).toBe(0)
  })
})
