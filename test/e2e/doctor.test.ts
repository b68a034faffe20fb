import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Finding } from '../../src/doctor/findings.ts'
import { newMissionId } from '../../src/mission-id.ts'
import { findProgram } from '../../src/system/find-program.ts'
import { makerMark } from '../../src/system/maker.ts'
import { systemProbe } from '../../src/system/process-identity.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { agencScript, type Sandbox, sandbox } from '../helpers/cli.ts'
import { storeMissions, useIdleClaude, writeProgram } from '../helpers/missions.ts'
import { needLinux } from '../helpers/needs.ts'
import { pathWithout } from '../helpers/path-without.ts'
import { markOfEndedProcess, tryKill } from '../helpers/processes.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { tmuxBench } from '../helpers/tmux.ts'
import { waitFor } from '../helpers/wait.ts'

type Line = Pick<Finding, 'check' | 'status' | 'message' | 'remedy'>

function examine(box: Sandbox, options: { args?: string[]; env?: NodeJS.ProcessEnv } = {}) {
  const { exitCode, stdout, stderr } = box.agenc(['doctor', '--json', ...(options.args ?? [])], {
    env: options.env,
  })
  const lines: Line[] = JSON.parse(stdout)
  const of = (check: string) => lines.filter(line => line.check === check)
  return { exitCode, stderr, lines, of }
}

/** Everything that a sandbox can provide is in order. */
function healthyBox(): Sandbox {
  const box = sandbox()
  useIdleClaude(box)
  box.env.ANTHROPIC_API_KEY = 'x'
  return box
}

test.for(['/dev/null/x', '/proc/1/x'])('a home that cannot be made is a problem: %s', (home, ctx) => {
  needLinux(ctx)
  const { of } = examine(healthyBox(), { env: { AGENC_DIRPATH: home } })
  expect(of('home')[0]).toMatchObject({ status: 'problem', remedy: expect.stringContaining('AGENC_DIRPATH') })
})

describe('a healthy machine', () => {
  test('reports no problem, with all keys in every line, and exits with 0', () => {
    const { exitCode, lines, of } = examine(healthyBox())
    expect(exitCode).toBe(0)
    for (const line of lines) {
      expect(Object.keys(line)).toEqual(['check', 'status', 'message', 'remedy'])
      expect(line.message).not.toBe('')
      expect(line.remedy === null).toBe(line.status === 'ok')
    }
    expect(lines.filter(({ status }) => status === 'problem')).toEqual([])
    expect(of('claude')[0]!.message).toContain('2.1.325 (known to work)')
    const checks = ['node', 'git', 'tmux', 'tmux-key', 'fzf', 'claude-login', 'home', 'hooks', 'leftovers']
    for (const check of checks) expect(of(check)[0], check).toMatchObject({ status: 'ok' })
  })

  test('needs no TMPDIR, whether the home exists or not', () => {
    const box = healthyBox()
    for (const home of [box.agencHome, join(box.root, 'another')]) {
      const { stderr, of } = examine(box, { env: { TMPDIR: join(box.root, 'gone'), AGENC_DIRPATH: home } })
      expect(stderr).toBe('')
      expect(of('tmux-key')[0]!.message).toBe('C-b a is free')
      expect(of('hooks')[0]).toMatchObject({ status: 'ok' })
    }
    expect(existsSync(join(box.root, 'another'))).toBe(false)
    expect(readdirSync(box.agencHome).filter(name => /^(agenc|doctor)-/.test(name))).toEqual([])
  })

  test('creates no home', () => {
    const box = sandbox()
    examine(box)
    expect(existsSync(box.agencHome)).toBe(false)
  })

  test.each([40, 200])('fits into %i columns without colours and UTF-8', async columns => {
    const box = healthyBox()
    box.agenc(['repo', 'ls'])
    const terminal = openTerminal(process.execPath, [agencScript, 'doctor'], {
      env: { ...box.env, LC_ALL: 'C' },
      columns,
      rows: 100,
    })
    expect(await terminal.exited).toBe(0)
    await terminal.waitForText('warning')
    const shown = terminal.screen()
    expect(shown).not.toMatch(/[^\u0000-\u007f]/)
    expect(terminal.raw()).not.toContain('\u001b[3')
    // A line that the terminal had to break would continue at the left edge.
    for (const line of terminal.raw().split('\r\n')) expect(line.length).toBeLessThanOrEqual(columns)
  })
})

describe('programs', () => {
  test('says how to install each missing program', () => {
    const box = sandbox()
    const PATH = pathWithout(process.env.PATH!, ['tmux', 'fzf', 'git', 'claude'])
    const { exitCode, of } = examine(box, { env: { PATH } })
    expect(exitCode).toBe(1)
    expect(of('tmux')[0]).toMatchObject({
      status: 'problem',
      remedy: expect.stringContaining('install tmux'),
    })
    expect(of('git')[0]).toMatchObject({ status: 'problem', remedy: expect.stringContaining('install git') })
    expect(of('claude')[0]).toMatchObject({
      status: 'problem',
      remedy: expect.stringContaining('npm install'),
    })
    expect(of('fzf')[0]).toMatchObject({ status: 'warning', remedy: expect.stringContaining('install fzf') })
    expect(of('tmux-key')).toEqual([])
  })

  test('reports a Claude that does not run', () => {
    const box = sandbox()
    box.agenc(['config', 'set', 'claude.command', writeProgram(join(box.root, 'claude'), 'exit 1')])
    expect(examine(box).of('claude')[0]).toMatchObject({ status: 'problem' })
  })
})

describe('tmux', () => {
  test('checks options, keys and plug-ins of the running server', () => {
    const config = [
      'set -s extended-keys off',
      'set -s focus-events on',
      'set -s set-clipboard off',
      'bind a last-window',
      'set -g @continuum-restore on',
    ].join('\n')
    const { box } = tmuxBench({ box: healthyBox(), config, sessions: ['other'] })
    const { exitCode, of } = examine(box)
    expect(exitCode).toBe(0)
    expect(of('tmux-extended-keys')[0]).toMatchObject({
      status: 'warning',
      remedy: expect.stringContaining('set -s extended-keys on'),
    })
    expect(of('tmux-focus-events')[0]).toMatchObject({ status: 'ok' })
    expect(of('tmux-clipboard')[0]).toMatchObject({ status: 'warning' })
    expect(of('tmux-key')[0]).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('last-window'),
    })
    expect(of('tmux-plugins')[0]).toMatchObject({ status: 'warning' })
  })

  test('reports a key that does not exist', () => {
    const box = healthyBox()
    box.agenc(['config', 'set', 'tmux.prefix_key', 'nosuchkey'])
    expect(examine(box).of('tmux-key')[0]).toMatchObject({
      status: 'problem',
      remedy: expect.stringContaining('agenc config set tmux.prefix_key'),
    })
  })
})

describe('home and store', () => {
  test('--fix closes modes that are too open', async () => {
    const box = healthyBox()
    await storeMissions(box, [{}])
    chmodSync(box.agencHome, 0o755)
    chmodSync(join(box.agencHome, 'database.sqlite'), 0o644)
    const before = examine(box)
    expect(before.exitCode).toBe(1)
    expect(before.of('home').map(({ remedy }) => remedy)).toEqual([
      `chmod 700 ${box.agencHome}`,
      `chmod 600 ${box.agencHome}/database.sqlite`,
    ])
    expect(statSync(box.agencHome).mode & 0o777).toBe(0o755)
    const after = examine(box, { args: ['--fix'] })
    expect(after.exitCode).toBe(0)
    expect(after.stderr).toContain(`chmod 700 ${box.agencHome}`)
    expect(statSync(box.agencHome).mode & 0o777).toBe(0o700)
    expect(statSync(join(box.agencHome, 'database.sqlite')).mode & 0o777).toBe(0o600)
  })

  test('reports a home that is a file', () => {
    const box = sandbox()
    writeFileSync(box.agencHome, '')
    const { exitCode, of } = examine(box)
    expect(exitCode).toBe(1)
    expect(of('home')[0]).toMatchObject({
      status: 'problem',
      remedy: expect.stringContaining('AGENC_DIRPATH'),
    })
    expect(of('hooks')[0]).toMatchObject({ status: 'problem' })
  })

  test('reports a broken store and broken settings', () => {
    const box = healthyBox()
    writeFileSync(join(box.agencHome, 'database.sqlite'), 'not a database', { mode: 0o600 })
    writeFileSync(join(box.agencHome, 'config.json'), '{ "claude": 1 }', { mode: 0o600 })
    const { exitCode, of } = examine(box)
    expect(exitCode).toBe(1)
    expect(of('store')[0]).toMatchObject({ status: 'problem' })
    expect(of('settings')[0]).toMatchObject({
      status: 'problem',
      remedy: expect.stringContaining('config edit'),
    })
    expect(of('leftovers')).toEqual([])
  })
})

describe('leftovers', () => {
  const anAgeAgo = new Date(Date.now() - 48 * 60 * 60 * 1000)

  function leave(box: Sandbox, place: string, name?: string): string {
    const path = join(box.agencHome, place)
    mkdirSync(path, { recursive: true, mode: 0o700 })
    if (name) writeFileSync(join(path, name), 'something')
    utimesSync(path, anAgeAgo, anAgeAgo)
    return path
  }

  test('--fix removes leftovers and keeps possible work', async () => {
    const box = healthyBox()
    const [known] = await storeMissions(box, [{}])
    const deleted = leave(box, `missions/.deleted-${newMissionId()}`, 'x')
    const clone = leave(box, 'repos/.unfinished-abc', 'x')
    const empty = leave(box, `missions/${newMissionId()}`)
    mkdirSync(join(empty, 'agent/src'), { recursive: true })
    utimesSync(empty, anAgeAgo, anAgeAgo)
    const work = leave(box, `missions/${newMissionId()}`, 'x')
    mkdirSync(join(box.agencHome, 'repos/.unfinished-now'))
    const { exitCode, of } = examine(box)
    expect(exitCode).toBe(0)
    const messages = of('leftovers').map(({ message }) => message)
    for (const path of [deleted, clone, empty, work])
      expect(messages).toContainEqual(expect.stringContaining(path))
    expect(messages).toHaveLength(4)
    const after = examine(box, { args: ['--fix'] })
    expect(after.of('leftovers').map(({ message }) => message)).toEqual([expect.stringContaining(work)])
    expect([deleted, clone, empty].filter(existsSync)).toEqual([])
    expect(existsSync(join(work, 'x'))).toBe(true)
    expect(existsSync(join(box.agencHome, 'missions', known!))).toBe(true)
    expect(existsSync(join(box.agencHome, 'repos/.unfinished-now'))).toBe(true)
  })

  test('reports and keeps settings that were not saved', () => {
    const box = healthyBox()
    const edit = leave(box, 'edit-aBc123', 'config.json')
    const { of } = examine(box, { args: ['--fix'] })
    expect(of('leftovers')).toMatchObject([
      { status: 'warning', message: expect.stringContaining(`not saved: ${edit}`) },
    ])
    expect(existsSync(join(edit, 'config.json'))).toBe(true)
  })

  test('finds what a killed agenc left at once, and --fix removes it, but not what a living one uses', async () => {
    const box = healthyBox()
    const [mission] = await storeMissions(box, [{}])
    const places = [
      (mark: string) => `config.json.${mark}1.tmp`,
      (mark: string) => `missions/${mission}/run/settings.json.${mark}2.tmp`,
      (mark: string) => `repos/.unfinished-${mark}aBc123`,
      (mark: string) => `doctor-${mark}aBc123`,
    ]
    const make = (mark: string) =>
      places.map(place => {
        const path = join(box.agencHome, place(mark))
        mkdirSync(path.endsWith('.tmp') ? dirname(path) : path, { recursive: true, mode: 0o700 })
        if (path.endsWith('.tmp')) writeFileSync(path, '{ "half', { mode: 0o600 })
        return path
      })
    const [left, used] = [make(markOfEndedProcess()), make(makerMark())]
    const copy = join(box.agencHome, 'database.sqlite.before-x.tmp')
    writeFileSync(copy, '', { mode: 0o600 })
    const messages = examine(box)
      .of('leftovers')
      .map(({ message }) => message)
    for (const path of [...left, copy]) expect(messages).toContainEqual(expect.stringContaining(path))
    expect(messages).toHaveLength(5)
    expect(examine(box, { args: ['--fix'] }).of('leftovers')).toMatchObject([{ status: 'ok' }])
    expect([...left, copy].filter(existsSync)).toEqual([])
    expect(used.filter(existsSync)).toEqual(used)
  })

  test('finds the remains of a killed clone at once, and the next clone removes them', async () => {
    const box = healthyBox()
    const [source, bin] = [join(box.root, 'source'), join(box.root, 'slow')]
    mkdirSync(bin)
    spawnSync('git', ['init', '-q', source], { env: box.env })
    const pidFile = join(box.root, 'git.pid')
    const git = findProgram('git', box.env)!
    const slowClone = `case " $* " in *" clone "*) mkdir half; echo $$ >${pidFile}; exec sleep 1000;; esac; exec ${git} "$@"`
    writeProgram(join(bin, 'git'), slowClone)
    const slow = { ...box.env, PATH: `${bin}:${box.env.PATH}` }
    const adding = spawn(process.execPath, [agencScript, 'repo', 'add', source, '--no-trust'], {
      env: slow,
      stdio: 'ignore',
    })
    const gitPid = await waitFor('the clone', () => Number(readFileSync(pidFile, 'utf8')))
    expect(examine(box).of('leftovers')).toMatchObject([{ status: 'ok' }])
    adding.kill('SIGKILL')
    await once(adding, 'exit')
    tryKill(gitPid, 'SIGKILL')
    expect(examine(box).of('leftovers')).toMatchObject([
      { status: 'warning', message: expect.stringContaining('remains of a clone') },
    ])
    expect(box.agenc(['repo', 'add', source, '--no-trust']).exitCode).toBe(0)
    expect(examine(box).of('leftovers')).toMatchObject([{ status: 'ok' }])
  })

  test('finds the lock of a killed agenc at once, and --fix removes it once it has lapsed', () => {
    const box = healthyBox()
    const lock = join(box.agencHome, 'config.json.lock')
    mkdirSync(lock, { mode: 0o700 })
    const [young] = examine(box, { args: ['--fix'] }).of('leftovers')
    expect(young).toMatchObject({ status: 'warning', message: expect.stringContaining('config.json') })
    expect(existsSync(lock)).toBe(true)
    utimesSync(lock, anAgeAgo, anAgeAgo)
    expect(examine(box, { args: ['--fix'] }).of('leftovers')).toMatchObject([{ status: 'ok' }])
    expect(existsSync(lock)).toBe(false)
  })

  test('the next write of the settings removes what a killed one left', () => {
    const box = healthyBox()
    const left = join(box.agencHome, `config.json.${markOfEndedProcess()}1.tmp`)
    const used = join(box.agencHome, `config.json.${makerMark()}1.tmp`)
    for (const path of [left, used]) writeFileSync(path, '{ "half', { mode: 0o600 })
    expect(box.agenc(['config', 'set', 'stop.grace_ms', '1234']).exitCode).toBe(0)
    expect([existsSync(left), existsSync(used)]).toEqual([false, true])
  })

  test('reports a Claude without a wrapper and leaves it alone', async () => {
    const box = healthyBox()
    const stray = spawn('sleep', ['1000'], { stdio: 'ignore' })
    onTestFinished(() => void stray.kill('SIGKILL'))
    const { pid, start } = systemProbe(systemRunner).identify(stray.pid!)!
    const [id] = await storeMissions(box, [
      { wrapper_pid: pid, wrapper_start: `${start}0`, claude_pid: pid, claude_start: start },
    ])
    const { exitCode, of } = examine(box, { args: ['--fix'] })
    expect(exitCode).toBe(1)
    expect(of('leftovers')).toEqual([
      expect.objectContaining({ status: 'problem', message: expect.stringContaining(`process ${pid}`) }),
      expect.objectContaining({ status: 'warning', remedy: expect.stringContaining('agenc tmux restore') }),
    ])
    expect(of('leftovers')[0]!.remedy).toContain(id!.slice(0, 8))
    expect(stray.exitCode).toBeNull()
  })

  test('--fix removes a bell that no wrapper reads', async () => {
    const box = healthyBox()
    const [first] = await storeMissions(box, [{}])
    const run = join(box.agencHome, 'missions', first!, 'run')
    mkdirSync(run)
    systemRunner.capture('mkfifo', [join(run, 'bell')])
    expect(examine(box).of('leftovers')[0]).toMatchObject({ status: 'warning' })
    expect(examine(box, { args: ['--fix'] }).of('leftovers')).toMatchObject([{ status: 'ok' }])
    expect(existsSync(join(run, 'bell'))).toBe(false)
  })

  test('--fix keeps a bell that a process reads, whatever the store says', async () => {
    const box = healthyBox()
    const [id] = await storeMissions(box, [{}])
    const run = join(box.agencHome, 'missions', id!, 'run')
    const bell = join(run, 'bell')
    mkdirSync(run)
    systemRunner.capture('mkfifo', [bell])
    const listener = openSync(bell, constants.O_RDWR | constants.O_NONBLOCK)
    onTestFinished(() => closeSync(listener))
    expect(box.agenc(['doctor', '--fix']).stderr).toContain(`left ${bell}`)
    expect(existsSync(bell)).toBe(true)
  })

  /** A path that is too long cannot be read even by root. */
  test('a directory that cannot be read counts as possible work', async context => {
    needLinux(context)
    const box = healthyBox()
    await storeMissions(box, [{}])
    const half = Array(10).fill('d'.repeat(240)).join('/')
    const inner = join(box.root, 'inner')
    mkdirSync(join(inner, half), { recursive: true })
    const mission = leave(box, `missions/${newMissionId()}`)
    mkdirSync(join(mission, half), { recursive: true })
    renameSync(inner, join(mission, half, 'inner'))
    onTestFinished(() => renameSync(join(mission, half, 'inner'), inner))
    utimesSync(mission, anAgeAgo, anAgeAgo)
    expect(examine(box).of('leftovers')).toMatchObject([
      { message: expect.stringContaining('that the store does not know'), status: 'warning' },
    ])
  })
})
