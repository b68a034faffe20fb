import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agencScript, projectRoot, sandbox } from '../helpers/cli.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))

describe('help and version', () => {
  test('agenc without a command, --help and help print the same page', () => {
    const { agenc } = sandbox()
    const shown = agenc([])
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' })
    expect(shown.stdout).toContain('agenc mission new owner/name')
    expect(agenc(['--help'])).toEqual(shown)
    expect(agenc(['help'])).toEqual(shown)
  })

  test('help before, between and after the words of a command prints the same page', () => {
    const { agenc } = sandbox()
    const shown = agenc(['mission', 'new', '--help'])
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' })
    expect(shown.stdout).toMatch(/--clone <mission>[\s\S]*Examples:\n {2}\$ agenc mission new/)
    for (const words of [
      ['help', 'mission', 'new'],
      ['mission', 'help', 'new'],
      ['mission', 'new', '-h'],
    ]) {
      expect(agenc(words), words.join(' ')).toEqual(shown)
    }
  })

  test('--version and -V print the version', () => {
    const { agenc } = sandbox()
    for (const flag of ['--version', '-V'])
      expect(agenc([flag])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' })
  })
})

describe('bad usage exits with 64 and suggests a correction', () => {
  test.each([
    ['misson ls', "unknown command 'misson'", 'Did you mean mission?'],
    ['mission-ls', "unknown command 'mission-ls'", 'Did you mean mission?'],
    ['tmux-kill --json', "unknown command 'tmux-kill'", "Run 'agenc --help'."],
    ['mission lst', "unknown command 'lst'", 'Did you mean ls?'],
    ['mission lst --json', "unknown command 'lst'", 'Did you mean ls?'],
    ['help mision', "unknown command 'mision'", 'Did you mean mission?'],
    ['mission help lst', "unknown command 'lst'", 'Did you mean ls?'],
    ['confg --help', "unknown command 'confg'", 'Did you mean config?'],
    ['frobnicate', "unknown command 'frobnicate'", "Run 'agenc --help'."],
    ['mission ls --jsn', "unknown option '--jsn'", 'Did you mean --json?'],
    ['--frob', "unknown option '--frob'", "Run 'agenc --help'."],
    ['mission rm --frob', "unknown option '--frob'", "Run 'agenc mission rm --help'."],
    ['mission', "'agenc mission' needs a command", "Run 'agenc mission --help'."],
    ['config get', "missing required argument 'key'", "Run 'agenc config get --help'."],
    ['mission ls x', "too many arguments for 'ls'", "Run 'agenc mission ls --help'."],
    ['mission new --name', "option '--name <text>' argument missing", "Run 'agenc mission new --help'."],
    ['mission _runwrapper x', "unknown command '_runwrapper'", "Run 'agenc mission --help'."],
    ['constructor', "unknown command 'constructor'", "Run 'agenc --help'."],
    ['mission __proto__', "unknown command '__proto__'", "Run 'agenc mission --help'."],
  ])('agenc %s', (line, message, hint) => {
    const { exitCode, stdout, stderr } = sandbox().agenc(line.split(' '))
    expect(stderr.split('\n')).toEqual([expect.stringContaining(`agenc: ${message}`), hint, ''])
    expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: '' })
  })

  test('a -- between the words of a command changes nothing', () => {
    const { agenc } = sandbox()
    const shown = agenc(['config', 'path'])
    expect(agenc(['--', 'config', 'path'])).toEqual(shown)
    expect(agenc(['config', '--', 'path'])).toEqual(shown)
  })

  test('an error repeats the words of the user without control characters', () => {
    const { agenc } = sandbox()
    for (const word of ['mis\u001b[31mn', 'a\u009b2J', 'x\u202ey', 'two\nlines', 'bell\u0007']) {
      for (const words of [[word], ['mission', word], ['config', 'get', word], ['mission', 'show', word]]) {
        const { exitCode, stderr } = agenc(words)
        expect(exitCode).toBe(64)
        expect(stderr.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
      }
    }
  })
})

describe('errors', () => {
  test('an error has a stack trace only with AGENC_DEBUG=1', () => {
    const { agenc } = sandbox()
    expect(agenc(['mission', 'lst']).stderr).not.toContain(' at ')
    expect(agenc(['mission', 'lst'], { env: { AGENC_DEBUG: '1' } }).stderr).toMatch(/\n {4}at /)
  })

  test('an unexpected error has no stack trace either, and says how to get one', () => {
    const { agenc } = sandbox()
    const failed = agenc(['repo', 'ls'], { env: { AGENC_DIRPATH: '/dev/null/x' } })
    expect(failed.exitCode).toBe(0)
    const unforeseen = agenc(['config', 'set', 'claude.model', 'x'], {
      env: { AGENC_DIRPATH: '/dev/null/x' },
    })
    expect(unforeseen.exitCode).toBe(1)
    expect(unforeseen.stderr).toMatch(/^agenc: .*\n.*AGENC_DEBUG=1.*\n$/)
  })
})

/** Runs `agenc … | head` as a shell does. Returns how agenc ended. */
async function intoClosedPipe(args: string[], env: NodeJS.ProcessEnv, readsFirst: boolean) {
  const child = spawn(process.execPath, [agencScript, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  if (readsFirst) await once(child.stdout, 'data')
  child.stdout.destroy()
  const [exitCode, signal] = await once(child, 'close')
  return { exitCode, signal, stderr }
}

describe('a pipe whose reader is gone', () => {
  test.each([true, false])('ends agenc without a message (first line read: %s)', async readsFirst => {
    const { env } = sandbox()
    for (const args of [['--help'], ['config', 'ls'], ['config', 'ls', '--json']]) {
      expect(await intoClosedPipe(args, env, readsFirst)).toEqual({ exitCode: 0, signal: null, stderr: '' })
    }
  })

  test('ends agenc without a message even if the output is larger than the pipe', async () => {
    const box = sandbox()
    const rule = { tool: 'Bash', match: 'x'.repeat(1000), decision: 'ask' }
    const rules = JSON.stringify(Array.from({ length: 100 }, () => rule))
    expect(box.agenc(['config', 'set', 'approvals.rules', rules]).exitCode).toBe(0)
    for (const readsFirst of [true, false]) {
      const ended = await intoClosedPipe(['config', 'ls', '--json'], box.env, readsFirst)
      expect(ended).toEqual({ exitCode: 0, signal: null, stderr: '' })
    }
  })

  test('does not keep a command from doing its work', async () => {
    const box = sandbox()
    await intoClosedPipe(['config', 'set', 'claude.model', 'opus', '--json'], box.env, false)
    expect(box.agencJson(['config', 'get', 'claude.model'])).toBe('opus')
  })
})

describe('colours', () => {
  const colour = '\u001b['

  test('a pipe gets no colours unless they are forced', () => {
    const { agenc } = sandbox()
    const plain = { NO_COLOR: undefined, FORCE_COLOR: undefined }
    expect(agenc(['config', 'ls'], { env: plain }).stdout).not.toContain(colour)
    expect(agenc(['config', 'ls'], { env: { ...plain, FORCE_COLOR: '1' } }).stdout).toContain(colour)
    expect(agenc(['config', 'ls'], { env: { ...plain, FORCE_COLOR: '0' } }).stdout).not.toContain(colour)
    expect(agenc(['nonsense'], { env: plain }).stderr).not.toContain(colour)
    expect(agenc(['nonsense'], { env: { ...plain, FORCE_COLOR: '1' } }).stderr).toContain(colour)
  })

  test.each([
    [{}, true],
    [{ NO_COLOR: '1' }, false],
    [{ NO_COLOR: '' }, true],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true],
  ])('on a terminal with %j, colours are on: %s', async (variables, isColoured) => {
    const { NO_COLOR: _, ...env } = sandbox().env
    const terminal = openTerminal(process.execPath, [agencScript, 'config', 'ls'], {
      env: { ...env, ...variables },
    })
    expect(await terminal.exited).toBe(0)
    expect(/\u001b\[\d+m/.test(terminal.raw())).toBe(isColoured)
  })
})

test.each([40, 60, 80, 200])('tables fit a terminal of %i columns', async columns => {
  const box = sandbox()
  box.agenc([
    'config',
    'set',
    `repos.github.com/${'o'.repeat(40)}/${'r'.repeat(60)}.setup`,
    '日本語 🚀'.repeat(30),
  ])
  // The last output of a program can be lost when its terminal closes, so a shell keeps the terminal open.
  const command = [process.execPath, agencScript, 'config', 'ls']
  const terminal = openTerminal('/bin/sh', ['-c', '"$@" && read -r _', 'sh', ...command], {
    env: box.env,
    columns,
    rows: 60,
  })
  const rows = box.agenc(['config', 'ls']).stdout.trimEnd().split('\n').length
  const lines = await waitFor('the whole table', () => {
    const shown = terminal.screen().split('\n')
    return shown.length >= rows && shown
  })
  expect(lines).toHaveLength(rows)
  expect(lines[0]).toMatch(/^KEY +VALUE +MEANING/)
  terminal.type('\r')
  expect(await terminal.exited).toBe(0)
})

test('in a deleted directory only commands that need a directory fail, and say so', () => {
  const box = sandbox()
  const inGone = (...args: string[]) => {
    const cwd = join(box.root, 'gone')
    mkdirSync(cwd)
    const script = 'rmdir "$0" && exec "$@"'
    const command = ['-c', script, cwd, process.execPath, agencScript, ...args]
    const { status, stdout, stderr } = spawnSync('/bin/sh', command, { cwd, env: box.env, encoding: 'utf8' })
    return { exitCode: status, stdout, stderr }
  }
  expect(inGone('mission', 'ls', '--json')).toEqual({ exitCode: 0, stdout: '[]\n', stderr: '' })
  expect(inGone('config', 'path')).toMatchObject({ exitCode: 0, stderr: '' })
  expect(inGone('repo', 'add', './app')).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/^agenc: .*current directory.*\n.*'cd'.*\n$/),
  })
})
