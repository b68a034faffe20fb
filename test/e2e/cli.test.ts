import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { registry } from '../../src/commands/registry.ts'
import { agencScript, projectRoot, sandbox } from '../helpers/cli.ts'
import { needLinux } from '../helpers/needs.ts'
import { allCommands } from '../helpers/registry.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))

describe('help and version', () => {
  test('agenc alone, --help and help print the same help', () => {
    const { agenc } = sandbox()
    const shown = agenc([])
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' })
    expect(shown.stdout).toContain('agenc mission new owner/name')
    expect(agenc(['--help'])).toEqual(shown)
    expect(agenc(['help'])).toEqual(shown)
  })

  test('every way to ask for the help of a command prints the same', () => {
    const { agenc } = sandbox()
    const shown = agenc(['mission', 'new', '--help'])
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' })
    expect(shown.stdout).toMatch(/--clone <mission>[\s\S]*Examples:\n {2}\$ agenc mission new/)
    for (const words of [
      ['help', 'mission', 'new'],
      ['mission', 'help', 'new'],
      ['mission', 'new', '-h'],
      ['new', '--help'],
      ['help', 'new'],
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

describe('a short form does what it stands for', () => {
  test.each(Object.entries(registry.shortForms))('agenc %s is agenc %s', (short, whole) => {
    const { agenc } = sandbox()
    for (const words of [[], ['--help'], ['--no-such-option'], ['one', 'two', 'three']])
      expect(agenc([short, ...words])).toEqual(agenc([...whole.split(' '), ...words]))
  })

  test('agenc --help lists the short forms', () => {
    const { stdout } = sandbox().agenc(['--help'])
    for (const [short, whole] of Object.entries(registry.shortForms))
      expect(stdout).toMatch(new RegExp(`^ {2}agenc ${short} +agenc ${whole}$`, 'm'))
  })

  test('those of hot commands start from a single file, too', () => {
    for (const [short, whole] of Object.entries(registry.shortForms)) {
      const [noun, verb] = whole.split(' ')
      const isHot = registry.nouns[noun!]!.verbs[verb!]!.hot === true
      expect(existsSync(join(projectRoot, 'dist', 'hot', `${short}.js`)), short).toBe(isHot)
    }
  })
})

describe('bad usage ends with 64 and suggests what was meant', () => {
  test.each([
    ['misson ls', "unknown command 'misson'", 'Did you mean mission?'],
    ['mission-ls', "unknown command 'mission-ls'", 'Did you mean mission?'],
    ['tmux-kill --json', "unknown command 'tmux-kill'", "Run 'agenc --help'."],
    ['wait 3f2a', "unknown command 'wait'", 'Did you mean agenc mission wait?'],
    ['help print', "unknown command 'print'", 'Did you mean agenc mission print?'],
    ['mission lst', "unknown command 'lst'", 'Did you mean ls?'],
    ['mission lst --json', "unknown command 'lst'", 'Did you mean ls?'],
    ['help mision', "unknown command 'mision'", 'Did you mean mission?'],
    ['mission help lst', "unknown command 'lst'", 'Did you mean ls?'],
    ['confg --help', "unknown command 'confg'", 'Did you mean config?'],
    ['frobnicate', "unknown command 'frobnicate'", "Run 'agenc --help'."],
    ['mission ls --jsn', "unknown option '--jsn'", 'Did you mean --json?'],
    ['mission new --colour x', "unknown option '--colour'", "Run 'agenc mission new --help'."],
    ['mission new --mode plan', "unknown option '--mode'", 'Did you mean --permission-mode?'],
    [
      'mission new --no-permission-mode',
      "unknown option '--no-permission-mode'",
      "Run 'agenc mission new --help'.",
    ],
    ['mission new --nofocus', "unknown option '--nofocus'", 'Did you mean --no-focus?'],
    ['mission rm x --forse', "unknown option '--forse'", "Run 'agenc mission rm --help'."],
    ['mission stop --al', "unknown option '--al'", "Run 'agenc mission stop --help'."],
    ['mission ls --al', "unknown option '--al'", 'Did you mean --all?'],
    ['mission rn x', "unknown command 'rn'", "Run 'agenc mission --help'."],
    ['mission editor x', "unknown command 'editor'", "Run 'agenc mission --help'."],
    ['mission attach', "unknown command 'attach'", "Run 'agenc mission --help'."],
    ['mission narchive x', "unknown command 'narchive'", 'Did you mean archive or unarchive?'],
    ['repo rmm x', "unknown command 'rmm'", "Run 'agenc repo --help'."],
    ['tmux kil', "unknown command 'kil'", "Run 'agenc tmux --help'."],
    ['atach', "unknown command 'atach'", 'Did you mean attach?'],
    ['ls --jsn', "unknown option '--jsn'", 'Did you mean --json?'],
    ['config set claude.mode plan', 'unknown setting "claude.mode"', 'Did you mean claude.permission_mode?'],
    ['config get mode', 'unknown setting "mode"', "Run 'agenc config ls' for the list."],
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

  test('a -- before the command or the verb changes nothing', () => {
    const { agenc } = sandbox()
    const shown = agenc(['config', 'path'])
    expect(agenc(['--', 'config', 'path'])).toEqual(shown)
    expect(agenc(['config', '--', 'path'])).toEqual(shown)
  })

  test('error messages quote the typed words without control characters', () => {
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

  test('an unexpected error prints no stack, and says how to see it', () => {
    const { agenc, agencHome } = sandbox()
    mkdirSync(join(agencHome, 'config.prepared.json', 'x'), { recursive: true, mode: 0o700 })
    mkdirSync(join(agencHome, 'config.schema.json'))
    const unexpected = agenc(['config', 'set', 'claude.model', 'x'])
    expect(unexpected.exitCode).toBe(1)
    expect(unexpected.stderr).toMatch(/^agenc: .*\n.*AGENC_DEBUG=1.*\n$/)
  })

  test.for([
    ['/dev/null/x', '/dev/null'],
    ['/proc/1/x/y', '/proc/1/x'],
  ] as const)(
    'in %s, where nothing can be made, commands fail at once and say what to do',
    ([home, place], ctx) => {
      needLinux(ctx)
      const { env } = sandbox()
      for (const words of [
        'config set claude.model x',
        'hold',
        'mission new --blank',
        'setup --yes',
        'mission stop --all',
      ]) {
        // A command that does not end must not outlive the test.
        const done = spawnSync(process.execPath, [agencScript, ...words.split(' ')], {
          env: { ...env, AGENC_DIRPATH: home },
          input: '',
          encoding: 'utf8',
          timeout: 20_000,
          killSignal: 'SIGKILL',
        })
        expect(done, words).toMatchObject({ signal: null, stdout: '' })
        expect(done.status, words).toBeGreaterThan(0)
        expect(done.stderr, words).toContain(place)
        expect(done.stderr, words).toContain('AGENC_DIRPATH')
        expect(done.stderr, words).not.toContain('AGENC_DEBUG')
      }
    },
  )

  test('a home that cannot exist is not taken for an empty one', () => {
    const { agenc } = sandbox()
    for (const words of [['mission', 'ls'], ['repo', 'ls'], ['status']]) {
      const { exitCode, stderr } = agenc(words, { env: { AGENC_DIRPATH: '/dev/null/x' } })
      expect(exitCode, words.join(' ')).toBe(1)
      expect(stderr).toMatch(/^agenc: .*\/dev\/null\/x.*ENOTDIR.*\n.*AGENC_DIRPATH/)
    }
  })
})

describe('start files', () => {
  test('every command marked as hot has a file of its own', () => {
    const names = allCommands.filter(({ entry }) => entry.hot).map(({ words }) => words.replace(' ', '.'))
    expect(names).toContain('mission.ls')
    expect(readdirSync(join(projectRoot, 'dist', 'hot'))).toEqual(
      expect.arrayContaining([...names, '_complete'].map(name => `${name}.js`)),
    )
  })

  test('a hot command keeps the exit code and the hint of an error from a chunk', () => {
    const box = sandbox()
    mkdirSync(box.agencHome, { mode: 0o700 })
    writeFileSync(join(box.agencHome, 'config.json'), '{ "tmux": 1 }')
    const failed = box.agenc(['mission', 'new', '--blank'])
    expect(failed).toMatchObject({ exitCode: 78, stdout: '' })
    expect(failed.stderr).toMatch(/^agenc: .*tmux.*\n.+/)
    expect(failed.stderr).not.toContain('AGENC_DEBUG')
  })

  test("Node's compile cache is in agenc's home, and a start does not create the home", () => {
    const box = sandbox()
    const temporary = join(box.root, 'temporary')
    mkdirSync(temporary)
    const env = { TMPDIR: temporary }
    expect(box.agenc(['--help'], { env }).exitCode).toBe(0)
    expect(existsSync(box.agencHome)).toBe(false)
    mkdirSync(box.agencHome, { mode: 0o700 })
    expect(box.agenc(['--help'], { env }).exitCode).toBe(0)
    const hasCache = 'enableCompileCache' in module
    expect(readdirSync(box.agencHome)).toEqual(hasCache ? ['compile-cache'] : [])
    expect(readdirSync(temporary)).toEqual([])
  })
})

/** Runs `agenc … | head` as a shell would, and returns how agenc ended. */
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

describe('a pipe whose reader has gone', () => {
  test.each([true, false])('ends quietly (first line read: %s)', async readsFirst => {
    const { env } = sandbox()
    for (const args of [['--help'], ['config', 'ls'], ['config', 'ls', '--json']]) {
      expect(await intoClosedPipe(args, env, readsFirst)).toEqual({ exitCode: 0, signal: null, stderr: '' })
    }
  })

  test('ends quietly with more output than a pipe holds', async () => {
    const box = sandbox()
    const rule = { tool: 'Bash', match: 'x'.repeat(1000), decision: 'ask' }
    const rules = JSON.stringify(Array.from({ length: 100 }, () => rule))
    expect(box.agenc(['config', 'set', 'approvals.rules', rules]).exitCode).toBe(0)
    for (const readsFirst of [true, false]) {
      const ended = await intoClosedPipe(['config', 'ls', '--json'], box.env, readsFirst)
      expect(ended).toEqual({ exitCode: 0, signal: null, stderr: '' })
    }
  })

  test('the command still does its work', async () => {
    const box = sandbox()
    await intoClosedPipe(['config', 'set', 'claude.model', 'opus', '--json'], box.env, false)
    expect(box.agencJson(['config', 'get', 'claude.model'])).toBe('opus')
  })
})

describe('colours', () => {
  const colour = '\u001b['

  test('a pipe gets none unless FORCE_COLOR is set', () => {
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
  // The last output of a program may be lost when its terminal closes, so the shell keeps it open.
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

test('in a deleted directory, only commands that need a directory fail', () => {
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
