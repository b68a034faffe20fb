import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeProgram } from '../helpers/missions.ts'
import { needRoot } from '../helpers/needs.ts'
import { untilGone } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'
import { answer, press, say, type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

interface Started {
  args: string[]
  env: Record<string, string>
  stdin: () => string
}

/** A Claude that writes its arguments, environment and stdin to files, and exits. */
function recordingBox(version = '2.1.325'): WrapperBox & { started(): Promise<Started> } {
  const box = wrapperBox()
  const record = join(box.root, 'record')
  const script = `[ "$1" = --version ] && echo '${version} (Claude Code)' && exit
case "$*" in *--settings*) ;; *) exit ;; esac
printf '%s\\0' "$@" >'${record}.args'; [ -t 0 ] || cat >'${record}.stdin'; env -0 >'${record}.env'; mv '${record}.env' '${record}'`
  box.agenc(['config', 'set', 'claude.command', writeProgram(join(box.root, 'recorder'), script)])
  const read = (path: string) => readFileSync(path, 'utf8').split('\0').slice(0, -1)
  return {
    ...box,
    started: async () => {
      await waitFor('Claude to start', () => existsSync(record))
      const env = read(record).map(entry => entry.split(/=(.*)/s))
      const stdin = () => readFileSync(`${record}.stdin`, 'utf8')
      return { args: read(`${record}.args`), env: Object.fromEntries(env), stdin }
    },
  }
}

const settingsIn = ({ args }: Started) =>
  JSON.parse(readFileSync(args[args.indexOf('--settings') + 1]!, 'utf8'))

describe('Claude’s command line', () => {
  test('has the session, mode, settings, name and model; the prompt is on stdin', async () => {
    const box = recordingBox()
    box.agenc(['config', 'set', 'claude.args', '["--verbose"]'])
    const wishes = ['--name', '-odd "name"', '--permission-mode', 'manual', '--model', 'opus']
    const terminal = box.run(['mission', 'new', '--blank', ...wishes, '--prompt', '-h $HOME `x` \'"\\ é'])
    const { args, stdin } = await box.started()
    const { id } = box.records()[0]!
    const settings = join(box.agencHome, 'missions', id, 'run', 'settings.json')
    expect(args).toEqual([
      ...['--session-id', id],
      ...['--permission-mode', 'default'],
      ...['--settings', settings],
      '--name=-odd "name"',
      '--model=opus',
      '--verbose',
    ])
    expect(stdin()).toBe('-h $HOME `x` \'"\\ é')
    expect(await terminal.exited).toBe(0)
  })

  test('has no mode if none is set, so that Claude’s own settings decide', async () => {
    const box = recordingBox()
    box.run(['mission', 'new', '--blank'])
    const { args } = await box.started()
    expect(args).not.toContain('--permission-mode')
  })

  test('has the configured tools for the mode allowedTools', async () => {
    const box = recordingBox()
    box.run(['mission', 'new', '--blank', '--permission-mode', 'allowedTools'])
    const { args } = await box.started()
    const from = args.indexOf('--allowedTools')
    const list = ['Edit', 'Write', 'Bash', 'Read', 'Glob', 'Grep']
    expect(args.slice(from, from + 9)).toEqual(['--allowedTools', ...list, '--permission-mode', 'default'])
  })

  test.each([
    ['2.1.325', ['PermissionRequest', 'StopFailure', 'SessionEnd'], []],
    ['2.0.50', ['PermissionRequest', 'SessionEnd'], ['StopFailure', 'PostToolUseFailure']],
    ['1.0.60', ['Stop', 'UserPromptSubmit'], ['SessionStart', 'PermissionRequest']],
    ['no version', ['Stop'], ['PermissionRequest']],
  ])(
    'registers only hooks that Claude %s knows, and turns the agent view off',
    async (version, known, unknown) => {
      const box = recordingBox(version)
      box.run(['mission', 'new', '--blank'])
      const settings = settingsIn(await box.started())
      expect(settings.disableAgentView).toBe(true)
      expect(Object.keys(settings.hooks)).toEqual(expect.arrayContaining(known))
      for (const name of unknown) expect(settings.hooks).not.toHaveProperty(name)
    },
  )
})

describe('Claude’s environment', () => {
  test('is the user’s own, without the variables of another Claude', async () => {
    const box = recordingBox()
    const own = {
      CLAUDE_CONFIG_DIR: box.claudeHome,
      CLAUDE_CODE_USE_BEDROCK: '0',
      CLAUDE_CODE_OAUTH_TOKEN: 'token',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
    }
    const others = [
      'CLAUDECODE',
      'CLAUDE_CODE_CHILD_SESSION',
      'CLAUDE_CODE_SESSION_ID',
      'CLAUDE_SESSION_ID',
      'CLAUDE_CODE_ENTRYPOINT',
      'ANTHROPIC_CLAUDE_ENTRYPOINT',
      'CLAUDE_CODE_IS_SIDE_CHANNEL',
      'CLAUDE_PID',
      'CLAUDE_CODE_EXECPATH',
      'CLAUDE_CODE_SESSION_ATTENDED',
      'CLAUDE_CODE_MESSAGING_SOCKET',
      'CLAUDE_CODE_MESSAGING_TOKEN',
      'CLAUDE_EFFORT',
      'AI_AGENT',
    ]
    const inherited = Object.fromEntries(others.map(name => [name, '1']))
    box.run(['mission', 'new', '--blank'], {
      env: { ...own, ...inherited, TERM: 'dumb', GIT_EDITOR: 'true' },
    })
    const { env } = await box.started()
    expect(env).toMatchObject({ ...own, COLORTERM: 'truecolor', TERM: 'xterm-256color' })
    expect(env.AGENC_MISSION_UUID).toBe(box.records()[0]!.id)
    expect(Object.keys(env).filter(name => others.includes(name))).toEqual([])
    expect(env).not.toHaveProperty('GIT_EDITOR')
  })
})

describe('a first prompt reaches Claude unchanged, and keys work afterwards:', () => {
  const quotes = `'single' "double" \`back\` $HOME $(x) \\ % ! ; & | < > ( ) { } * ? ~ # \t é 漢字 🦊`
  test.each([
    ['with leading dashes', '--help me -- [[text Understood.]]'],
    ['with every kind of quote', `${quotes} [[text Understood.]]`],
    ['of several lines', 'one\ntwo\n\nthree [[text Understood.]]'],
  ])('%s', async (_title, prompt) => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission('--permission-mode', 'default', '--prompt', prompt)
    await terminal.waitForText('Understood.')
    expect(firstPrompt(box)).toBe(prompt)
    await box.ready(id)
    expect(existsSync(join(box.agencHome, 'missions', id, 'prompt'))).toBe(false)
    await say(terminal, 'More. [[text Here is more.]]')
    await terminal.waitForText('Here is more.')
  })

  test.each([
    ['short', 'from a pipe [[text Understood.]]'],
    ['200 KB', `${'lorem ipsum '.repeat(17_000)} [[text Understood.]]`],
  ])('from stdin, %s', async (_title, prompt) => {
    const box = wrapperBox()
    writeFileSync(join(box.root, 'prompt.txt'), prompt)
    const terminal = await box.shell()
    terminal.type('agenc mission new --blank --permission-mode default --prompt - <prompt.txt\r')
    await terminal.waitForText('Understood.')
    expect(firstPrompt(box)).toBe(prompt)
    const { id } = box.records()[0]!
    await box.ready(id)
    await say(terminal, 'More. [[text Here is more.]]')
    await terminal.waitForText('Here is more.')
  })

  test('as a slash command, which runs once', async () => {
    const box = wrapperBox()
    const terminal = box.run(['mission', 'new', '--blank', '--prompt', '/rename from the prompt'])
    await waitFor('the name that the command sets', () => box.records()[0]?.name === 'from the prompt')
    const { id } = box.records()[0]!
    await box.ready(id)
    await say(terminal, '/exit')
    expect(await terminal.exited).toBe(0)
    expect(existsSync(join(box.agencHome, 'missions', id, 'prompt'))).toBe(false)
  })
})

describe('a first prompt that Claude has not yet taken', () => {
  /** A Claude that opens its conversation at once, and takes its prompt when the test calls `release`. */
  function slowBox(): WrapperBox & { prompts(): string[]; release(): void } {
    const box = wrapperBox()
    const [prompts, gate] = [join(box.root, 'prompts'), join(box.root, 'gate')]
    const script = `
const { appendFileSync, existsSync, readFileSync } = require('node:fs')
const { spawnSync } = require('node:child_process')
const args = process.argv.slice(2)
if (args[0] === '--version') return console.log('2.1.325')
const { hooks } = JSON.parse(readFileSync(args[args.indexOf('--settings') + 1], 'utf8'))
const tell = name => {
  const input = JSON.stringify({ hook_event_name: name, session_id: args[1] })
  spawnSync('sh', ['-c', hooks[name][0].hooks[0].command], { input })
}
const prompt = process.stdin.isTTY ? '' : readFileSync(0, 'utf8')
let taken = prompt === ''
process.on('SIGTERM', () => process.exit(143))
tell('SessionStart')
setInterval(() => {
  if (!existsSync(${JSON.stringify(gate)}) || taken) return
  taken = true
  appendFileSync(${JSON.stringify(prompts)}, prompt + '\\n')
  if (prompt.startsWith('/')) return
  tell('UserPromptSubmit')
  tell('Stop')
}, 10)`
    writeFileSync(join(box.root, 'slow.cjs'), script)
    const start = `exec '${process.execPath}' '${join(box.root, 'slow.cjs')}' "$@"`
    box.agenc(['config', 'set', 'claude.command', writeProgram(join(box.root, 'slow'), start)])
    return {
      ...box,
      prompts: () => (existsSync(prompts) ? readFileSync(prompts, 'utf8').trim().split('\n') : []),
      release: () => writeFileSync(gate, ''),
    }
  }

  test('delays a restart until it is taken', async () => {
    const box = slowBox()
    const { id } = await idleMission(box)
    const { claude_pid } = box.record(id)
    expect(box.agenc(['mission', 'resume', id, '--restart']).exitCode).toBe(0)
    await waitFor('the restart request to be read', () => spooled(box, id).length === 0)
    box.release()
    await waitFor('another Claude', () => box.record(id).claude_pid !== claude_pid)
    await box.until(id, 'idle')
    expect(box.prompts()).toEqual(['Hello.'])
  })

  test('is kept for the next start if the mission is stopped', async () => {
    const box = slowBox()
    const { id } = await idleMission(box)
    expect(box.agenc(['mission', 'stop', id]).exitCode).toBe(0)
    expect(box.prompts()).toEqual([])
    box.release()
    box.run(['mission', 'resume', id])
    await waitFor('the prompt', () => box.prompts().length > 0)
    await box.until(id, 'idle')
    expect(box.agenc(['mission', 'stop', id]).exitCode).toBe(0)
    expect(existsSync(join(box.agencHome, 'missions', id, 'prompt'))).toBe(false)
    expect(box.prompts()).toEqual(['Hello.'])
  })

  test('is not given again if the wrapper was killed before it could note that Claude took it', async () => {
    const box = slowBox()
    const { id } = await idleMission(box)
    const { wrapper_pid, claude_pid } = box.record(id)
    process.kill(wrapper_pid!, 'SIGSTOP')
    box.release()
    await waitFor('the prompt', () => box.prompts().length === 1)
    await waitFor('its event', () => spooled(box, id).length > 0)
    process.kill(wrapper_pid!, 'SIGKILL')
    await untilGone(wrapper_pid, claude_pid)
    box.run(['mission', 'resume', id])
    await waitFor('another Claude', () => ![null, claude_pid].includes(box.record(id).claude_pid))
    const promptFile = join(box.agencHome, 'missions', id, 'prompt')
    await waitFor('the prompt to count as taken', () => !existsSync(promptFile))
    await box.until(id, 'idle')
    expect(box.prompts()).toEqual(['Hello.'])
  })

  describe('and that is a /command', () => {
    const resumed = async (box: WrapperBox, id: string, before: number | null) => {
      box.run(['mission', 'resume', id])
      await waitFor('another Claude', () => ![null, before].includes(box.record(id).claude_pid))
      await box.until(id, 'idle')
      expect(box.agenc(['mission', 'stop', id]).exitCode).toBe(0)
    }

    test.each([
      ['the wrapper was killed', 'SIGKILL'],
      ['the mission was stopped', 'SIGTERM'],
    ] as const)('is not given again after %s', async (_title, signal) => {
      const box = slowBox()
      const { id } = await idleMission(box, '/compact now')
      const { wrapper_pid, claude_pid } = box.record(id)
      box.release()
      await waitFor('the prompt', () => box.prompts().length === 1)
      process.kill(wrapper_pid!, signal)
      await untilGone(wrapper_pid, claude_pid)
      await resumed(box, id, claude_pid)
      expect(box.prompts()).toEqual(['/compact now'])
    })

    test('is given again if Claude ended before its conversation was open', async () => {
      const box = slowBox()
      const slow = box.agencJson<string>(['config', 'get', 'claude.command'])
      box.agenc(['config', 'set', 'claude.command', '/bin/false'])
      const failed = box.run(['mission', 'new', '--blank', '--prompt', '/compact now'])
      await failed.waitForText('Enter: resume, q: close')
      failed.type('q')
      await failed.exited
      box.agenc(['config', 'set', 'claude.command', slow])
      box.release()
      await resumed(box, box.records()[0]!.id, null)
      expect(box.prompts()).toEqual(['/compact now'])
    })
  })

  async function idleMission(box: WrapperBox, prompt = 'Hello.'): Promise<{ id: string }> {
    box.run(['mission', 'new', '--blank', '--prompt', prompt])
    const { id } = await waitFor('the mission', () => box.records()[0])
    return box.until(id, 'idle')
  }

  const spooled = (box: WrapperBox, id: string) =>
    readdirSync(join(box.agencHome, 'missions', id, 'run', 'ev'))
})

function firstPrompt(box: WrapperBox): string {
  const projects = join(box.claudeHome, 'projects')
  const [path] = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.jsonl'),
  )
  const lines = readFileSync(join(projects, path!), 'utf8').trim().split('\n')
  const said = lines.map(line => JSON.parse(line)).find(line => line.type === 'user')
  return said.message.content
}

describe('a start fails with an explanation', () => {
  test('if Claude is not installed: exit code 69, and how to install it', async () => {
    const box = wrapperBox()
    rmSync(join(box.root, 'bin', 'claude'))
    const hasNoClaude = (directory: string) => !existsSync(join(directory, 'claude'))
    const PATH = box.env.PATH!.split(':').filter(hasNoClaude).join(':')
    const terminal = await box.shell({ env: { PATH } })
    terminal.type('agenc mission new --blank; echo "left $?"\r')
    await terminal.waitForText('left 69')
    expect(terminal.screen()).toContain('npm install -g @anthropic-ai/claude-code')
  })

  test('for bypassPermissions as root: which variable allows it', async ctx => {
    needRoot(ctx)
    const box = wrapperBox()
    const terminal = await box.shell()
    terminal.type('agenc mission new --blank --permission-mode auto-accept; echo "left $?"\r')
    await terminal.waitForText('left 1')
    expect(terminal.screen()).toContain('IS_SANDBOX=1')
    expect(box.records()).toEqual([])
  })

  test('if Claude fails at once: its output stays on the screen until q', async () => {
    const box = wrapperBox()
    const script = '[ "$1" = --version ] && echo 2.1.325 && exit\necho "no licence found"; exit 3'
    box.agenc(['config', 'set', 'claude.command', writeProgram(join(box.root, 'failing'), script)])
    const terminal = box.run(['mission', 'new', '--blank'])
    await terminal.waitForText('Enter: resume, q: close')
    expect(terminal.screen()).toContain('no licence found')
    expect(box.records()[0]).toMatchObject({ wrapper_pid: null, exit_code: 3, ended_by: 'failed' })
    terminal.type('q')
    expect(await terminal.exited).toBe(3)
  })
})

describe('trust', () => {
  const trusted = (box: WrapperBox) => {
    const { projects = {} } = JSON.parse(readFileSync(join(box.home, '.claude.json'), 'utf8'))
    return Object.keys(projects).filter(path => projects[path].hasTrustDialogAccepted)
  }

  test('is recorded for five blank missions at once, without a dialog, and removed with rm', async () => {
    const box = wrapperBox()
    const kept = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`/p${n}`, { hasTrustDialogAccepted: true }]),
    )
    writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ theme: 'dark', projects: kept }))
    for (let n = 0; n < 5; n++) box.run(['mission', 'new', '--blank'])
    const missions = await waitFor('five missions', () => box.records().length === 5 && box.records())
    for (const { id } of missions) await box.ready(id)
    const own = missions.map(({ id }) => join(box.agencHome, 'missions', id, 'agent'))
    expect(trusted(box).sort()).toEqual([...Object.keys(kept), ...own].sort())
    expect(JSON.parse(readFileSync(join(box.home, '.claude.json'), 'utf8'))).toMatchObject({ theme: 'dark' })
    box.agenc(['mission', 'stop', '--all'])
    expect(box.agenc(['mission', 'rm', ...missions.map(({ id }) => id), '--yes', '--force']).exitCode).toBe(0)
    expect(trusted(box).sort()).toEqual(Object.keys(kept).sort())
  })

  test('is asked for by Claude in a repo that is not trusted, and the mission waits for it', async () => {
    const box = wrapperBox()
    const repo = gitRepo(box, 'strange')
    const terminal = box.run(['mission', 'new', repo])
    await terminal.waitForText('trust this folder')
    const { id } = box.records()[0]!
    await box.until(id, 'waiting:trust')
    expect(box.record(id).waiting_since).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    expect(trusted(box)).toEqual([])
    await press(terminal, '\u001b[B', () => terminal.screen().includes('❯ Yes'))
    await answer(box, id, terminal, '\r')
    await box.ready(id)
  })
})

/** Adds a new repo to the library without trusting it. */
function gitRepo(box: WrapperBox, name: string): string {
  const source = join(box.root, 'sources', name)
  mkdirSync(source, { recursive: true })
  writeFileSync(join(source, 'README.md'), name)
  const git = ['init -q -b main', 'add .', 'commit -q -m first']
  for (const line of git) runIn(box, source, 'git', line.split(' '))
  const added = box.agenc(['repo', 'add', source, '--no-trust'])
  if (added.exitCode !== 0) throw new Error(added.stderr)
  return added.stdout.trim()
}

function runIn(box: WrapperBox, cwd: string, file: string, args: string[]): void {
  execFileSync(file, args, { cwd, env: box.env, stdio: 'ignore' })
}

describe('the files of a killed wrapper', () => {
  test('are removed by the next one', async () => {
    const box = recordingBox()
    expect(await box.run(['mission', 'new', '--blank']).exited).toBe(0)
    const { id } = box.records()[0]!
    const run = join(box.agencHome, 'missions', id, 'run')
    const draft = join(run, 'preview.999999999@~1.tmp')
    writeFileSync(draft, 'half a')
    await box.run(['mission', 'resume', id]).exited
    expect(existsSync(draft)).toBe(false)
  })
})
