import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { MissionPaths } from '../../src/paths.ts'
import { systemProbe } from '../../src/system/process-identity.ts'
import { listTree } from '../../src/system/process-tree.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { writeProgram } from '../helpers/missions.ts'
import { isAlive, tryKill, untilGone } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'
import { say, type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

const status = (box: WrapperBox, id: string) => box.agencJson<MissionJson>(['mission', 'show', id]).status

/** A Claude that ignores polite signals, with a tool in its own session that does too. */
function useStubbornClaude(box: WrapperBox, graceMs: number): { toolPid(): Promise<number> } {
  const pidFile = join(box.root, 'tool.pid')
  const script = `[ "$1" = --version ] && echo 2.1.325 && exit
trap '' HUP INT TERM
setsid sh -c 'trap "" HUP INT TERM; echo $$ >${pidFile}; while :; do sleep 1; done' &
while :; do sleep 1; done`
  box.agenc(['config', 'set', 'claude.command', writeProgram(join(box.root, 'stubborn'), script)])
  box.agenc(['config', 'set', 'stop.grace_ms', String(graceMs)])
  return {
    // The store may learn of Claude only after Claude has started its tool.
    toolPid: () =>
      waitFor(
        'the tool',
        () => box.records()[0]?.claude_pid && existsSync(pidFile) && Number(readFileSync(pidFile, 'utf8')),
      ),
  }
}

describe('a signal to the wrapper', () => {
  test.each([
    ['SIGHUP', 129],
    ['SIGINT', 0],
    ['SIGTERM', 143],
  ] as const)('%s is forwarded, and Claude’s exit code %i is the wrapper’s', async (signal, exitCode) => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission()
    const { wrapper_pid, claude_pid } = box.record(id)
    process.kill(wrapper_pid!, signal)
    expect(await terminal.exited).toBe(exitCode)
    expect(terminal.diedOf()).toBe(0)
    expect(isAlive(claude_pid!)).toBe(false)
    expect(box.record(id)).toMatchObject({ exit_code: exitCode, exit_signal: null, claude_pid: null })
    expect(status(box, id)).toBe('stopped')
  })

  test('a hangup that Claude dies of before the wrapper hears it', async () => {
    const box = wrapperBox()
    const script = `[ "$1" = --version ] && echo 2.1.325 && exit
(sleep 0.1; kill -HUP $PPID) &
kill -HUP $$`
    box.agenc(['config', 'set', 'claude.command', writeProgram(join(box.root, 'first-to-die'), script)])
    const terminal = box.run(['mission', 'new', '--blank'])
    expect(await terminal.exited).toBe(129)
    const { id } = box.records()[0]!
    expect(box.record(id)).toMatchObject({ exit_signal: 'SIGHUP', ended_by: 'user' })
  })

  test('at a dialog, and a second signal right behind the first', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission('--permission-mode', 'default')
    await say(terminal, 'Go. [[bash touch made]]')
    await box.until(id, 'waiting:permission')
    const { wrapper_pid } = box.record(id)
    process.kill(wrapper_pid!, 'SIGHUP')
    tryKill(wrapper_pid!, 'SIGHUP')
    const log = join(box.agencHome, 'missions', id, 'wrapper.log')
    await waitFor('the first signal to be forwarded', () =>
      readFileSync(log, 'utf8').includes('SIGHUP: forward'),
    )
    tryKill(wrapper_pid!, 'SIGTERM')
    expect(await terminal.exited).toBe(129)
    expect(box.record(id)).toMatchObject({ exit_code: 129, state: null, waiting_for: null })
  })

  test('before Claude starts keeps it from starting', async () => {
    const box = wrapperBox()
    const [asked, started] = [join(box.root, 'asked'), join(box.root, 'started')]
    const script = `case "$1" in
--version) : >${asked}; while [ ! -e ${asked}.go ]; do sleep 0.05; done; echo 2.1.325 ;;
--session-id) : >${started} ;; esac`
    box.agenc(['config', 'set', 'claude.command', writeProgram(join(box.root, 'slow'), script)])
    const terminal = box.run(['mission', 'new', '--blank'])
    await waitFor('the wrapper to ask for Claude’s version', () => existsSync(asked))
    process.kill(terminal.pid, 'SIGTERM')
    writeProgram(`${asked}.go`, '')
    expect(await terminal.exited).toBe(143)
    expect(existsSync(started)).toBe(false)
    expect(box.records()[0]).toMatchObject({ wrapper_pid: null, exit_signal: 'SIGTERM', ended_by: 'user' })
  })

  test('kills a Claude that ignores it after the grace period, with everything it started', async () => {
    const box = wrapperBox()
    const { toolPid } = useStubbornClaude(box, 300)
    const terminal = box.run(['mission', 'new', '--blank'])
    const tool = await toolPid()
    const { claude_pid } = box.records()[0]!
    process.kill(terminal.pid, 'SIGTERM')
    expect(await terminal.exited).toBe(137)
    await untilGone(tool, claude_pid)
    expect(box.records()[0]).toMatchObject({ exit_code: null, exit_signal: 'SIGKILL', ended_by: 'user' })
  })
})

describe('mission stop', () => {
  test('returns once the processes have ended and the store says so', async () => {
    const box = wrapperBox()
    const a = await box.mission()
    const b = await box.mission()
    const pids = box.records().flatMap(({ wrapper_pid, claude_pid }) => [wrapper_pid!, claude_pid!])
    expect(box.agenc(['mission', 'stop', a.id, b.id])).toMatchObject({ exitCode: 0 })
    expect(pids.filter(isAlive)).toEqual([])
    expect(box.records().map(({ wrapper_pid, exit_code }) => [wrapper_pid, exit_code])).toEqual([
      [null, 143],
      [null, 143],
    ])
    expect(box.agenc(['mission', 'stop', a.id])).toMatchObject({ exitCode: 0 })
  })

  test('shows on a terminal how many are still ending', async () => {
    const box = wrapperBox()
    const { toolPid } = useStubbornClaude(box, 1_000)
    box.run(['mission', 'new', '--blank'])
    await toolPid()
    const { id } = box.records()[0]!
    const stopping = box.run(['mission', 'stop', id])
    expect(await stopping.exited).toBe(0)
    expect(stopping.raw()).toContain('1 of 1 still ending')
    expect(stopping.screen().trim()).toMatch(new RegExp(`^Stopped .*${id.slice(0, 8)}.*\\.$`))
  })

  test('works from a tool of the mission itself', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission('--permission-mode', 'allowedTools')
    await say(terminal, 'Leave. [[bash agenc mission stop .]]')
    expect(await terminal.exited).toBe(143)
    expect(status(box, id)).toBe('stopped')
  })

  test('and archive refuse a mission in another container, and leave it as it is', async () => {
    const box = wrapperBox()
    const { id } = await box.mission()
    const { wrapper_pid, wrapper_start, claude_pid, claude_start } = box.record(id)
    box.change('UPDATE missions SET wrapper_start = ?', inAnotherContainer(wrapper_start))
    box.change('UPDATE missions SET claude_start = ?', inAnotherContainer(claude_start))
    const before = box.record(id)
    for (const verb of ['stop', 'archive']) {
      expect(box.agenc(['mission', verb, id])).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining(`stopped from here: ${id.slice(0, 8)}`),
      })
      expect(box.record(id)).toEqual(before)
    }
    expect([wrapper_pid!, claude_pid!].filter(isAlive)).toHaveLength(2)
    // An old heartbeat means that the wrapper ended with its container.
    box.change('UPDATE missions SET heartbeat_at = ?', '2020-01-01T00:00:00.000Z')
    expect(box.agenc(['mission', 'stop', id])).toMatchObject({ exitCode: 0 })
    expect(box.record(id)).toMatchObject({ wrapper_pid: null, claude_pid: null, ended_by: 'user' })
    tryKill(wrapper_pid!, 'SIGTERM')
    await untilGone(wrapper_pid, claude_pid)
    expect(box.record(id)).toMatchObject({ exit_code: null, ended_by: 'user' })
  })

  test.each(['stop', 'archive'])('works with broken settings: %s', async verb => {
    const box = wrapperBox()
    const { id } = await box.mission()
    const { wrapper_pid, claude_pid } = box.record(id)
    const settings = join(box.agencHome, 'config.json')
    writeFileSync(settings, '{ broken')
    expect(box.agenc(['mission', verb, id])).toMatchObject({ exitCode: 0 })
    expect([wrapper_pid!, claude_pid!].filter(isAlive)).toEqual([])
  })

  test('as part of an archive that fails leaves the mission in the list', async () => {
    const box = wrapperBox()
    const { id } = await box.mission()
    const { wrapper_pid, claude_pid } = box.record(id)
    process.kill(wrapper_pid!, 'SIGKILL')
    await untilGone(wrapper_pid, claude_pid)
    const { wrapperNote } = new MissionPaths(join(box.agencHome, 'missions', id))
    rmSync(wrapperNote)
    mkdirSync(wrapperNote)
    box.change(
      "CREATE TRIGGER full BEFORE UPDATE OF ended_by ON missions BEGIN SELECT RAISE(ABORT, 'full'); END",
    )
    expect(box.agenc(['mission', 'archive', id])).toMatchObject({ exitCode: 1 })
    expect(box.record(id).archived_at).toBeNull()
  })

  test('ends a hanging wrapper and its Claude', async () => {
    const box = wrapperBox()
    const { id } = await box.mission()
    box.agenc(['config', 'set', 'stop.grace_ms', '100'])
    const { wrapper_pid, claude_pid } = box.record(id)
    // Suspended again at once whenever it is continued, as by a debugger: only SIGKILL ends it.
    const suspending = setInterval(() => tryKill(wrapper_pid!, 'SIGSTOP'), 1)
    try {
      expect((await box.agencAsync(['mission', 'stop', id])).exitCode).toBe(0)
    } finally {
      clearInterval(suspending)
    }
    expect([wrapper_pid!, claude_pid!].filter(isAlive)).toEqual([])
    expect(status(box, id)).toBe('stopped')
  })
})

test('SIGUSR1 does not open the debugger of Node', async () => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission()
  process.kill(box.record(id).wrapper_pid!, 'SIGUSR1')
  await box.turn(id, terminal, 'hello')
  expect(box.agenc(['mission', 'stop', id]).exitCode).toBe(0)
  await terminal.exited
  expect(terminal.raw()).not.toContain('Debugger listening')
})

describe('kill -9', () => {
  test('of the wrapper ends Claude too, and ls shows it as crashed at once', async () => {
    const box = wrapperBox()
    const { id } = await box.mission()
    const { wrapper_pid, claude_pid } = box.record(id)
    process.kill(wrapper_pid!, 'SIGKILL')
    await untilGone(wrapper_pid)
    expect(box.agencJson<MissionJson[]>(['mission', 'ls'])).toMatchObject([
      { id, status: 'crashed', state: null, wrapper_pid: null, claude_pid: null },
    ])
    await untilGone(claude_pid)
  })

  test('of Claude ends the tool that it was running', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission('--permission-mode', 'allowedTools')
    const pidFile = join(box.root, 'tool')
    await say(terminal, `Go. [[bash echo $$ >${pidFile}; while :; do read -t 1 x; done]]`)
    const tool = await waitFor('the tool', () => existsSync(pidFile) && Number(readFileSync(pidFile, 'utf8')))
    expect(isAlive(tool)).toBe(true)
    process.kill(box.record(id).claude_pid!, 'SIGKILL')
    await untilGone(tool)
    await waitFor('the end of the mission', () => status(box, id) === 'crashed')
  })

  test('of the wrapper under a shell ends Claude too, and the shell can be used', async () => {
    const box = wrapperBox()
    const terminal = await box.shell()
    terminal.type('agenc mission new --blank\r')
    const { id } = await waitFor('the mission', () => box.records()[0])
    await box.ready(id)
    const { wrapper_pid, claude_pid } = box.record(id)
    process.kill(wrapper_pid!, 'SIGKILL')
    await untilGone(wrapper_pid, claude_pid)
    expect(status(box, id)).toBe('crashed')
    terminal.type('echo the shell $((40+2))\r')
    await terminal.waitForText('the shell 42')
  })

  test('of the guard, twice, and later of the wrapper under a shell ends Claude too', async () => {
    const box = wrapperBox()
    const terminal = await box.shell()
    terminal.type('agenc mission new --blank\r')
    const { id } = await waitFor('the mission', () => box.records()[0])
    await box.ready(id)
    const { wrapper_pid, claude_pid } = box.record(id)
    const guard = () => guardOf(wrapper_pid!, claude_pid!)
    for (const number of [1, 2]) {
      const pid = await waitFor('the guard', guard)
      process.kill(pid, 'SIGKILL')
      await waitFor(`a guard after ${number}`, () => {
        const next = guard()
        return next !== undefined && next !== pid
      })
    }
    process.kill(wrapper_pid!, 'SIGKILL')
    await untilGone(wrapper_pid, claude_pid)
    expect(status(box, id)).toBe('crashed')
  })

  test('of the wrapper ends a Claude that ignores polite signals, with its tools', async () => {
    const box = wrapperBox()
    const { toolPid } = useStubbornClaude(box, 200)
    const terminal = await box.shell()
    terminal.type('agenc mission new --blank\r')
    const tool = await toolPid()
    const { wrapper_pid, claude_pid } = box.records()[0]!
    process.kill(wrapper_pid!, 'SIGKILL')
    await untilGone(wrapper_pid, claude_pid, tool)
  })

  test('of the wrapper may leave Claude running, which the next resume ends', async () => {
    const box = wrapperBox()
    const { toolPid } = useStubbornClaude(box, 60_000)
    const terminal = await box.shell()
    terminal.type('agenc mission new --blank\r')
    const tool = await toolPid()
    const { id, wrapper_pid, claude_pid } = box.records()[0]!
    process.kill(wrapper_pid!, 'SIGKILL')
    await untilGone(wrapper_pid)
    expect(isAlive(claude_pid!)).toBe(true)
    box.agenc(['config', 'set', 'stop.grace_ms', '100'])
    box.agenc(['config', 'unset', 'claude.command'])
    box.run(['mission', 'resume', id])
    await box.ready(id)
    expect([claude_pid!, tool].filter(isAlive)).toEqual([])
  })

  test.each([
    ['rm --force', (id: string) => ['mission', 'rm', id, '--yes', '--force']],
    ['archive', (id: string) => ['mission', 'archive', id]],
    ['stop', (id: string) => ['mission', 'stop', id]],
  ])('of the wrapper may leave Claude running, which %s ends', async (_title, command) => {
    const box = wrapperBox()
    const { toolPid } = useStubbornClaude(box, 100)
    const terminal = await box.shell()
    terminal.type('agenc mission new --blank\r')
    const tool = await toolPid()
    const { id, wrapper_pid, claude_pid } = box.records()[0]!
    const guard = guardOf(wrapper_pid!, claude_pid!)!
    onTestFinished(() => tryKill(guard, 'SIGKILL'))
    process.kill(guard, 'SIGSTOP')
    process.kill(wrapper_pid!, 'SIGKILL')
    await untilGone(wrapper_pid)
    // As after a resume that could not end this Claude.
    box.change("UPDATE missions SET wrapper_pid = NULL, wrapper_start = NULL, ended_by = 'lost'")
    expect(isAlive(claude_pid!)).toBe(true)
    expect(box.agenc(command(id))).toMatchObject({ exitCode: 0 })
    expect([claude_pid!, tool].filter(isAlive)).toEqual([])
  })

  test('of Claude leaves the mission crashed', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission()
    process.kill(box.record(id).claude_pid!, 'SIGKILL')
    await box.until(id, 'stopped')
    expect(box.record(id)).toMatchObject({ exit_code: null, exit_signal: 'SIGKILL', ended_by: 'lost' })
    expect(status(box, id)).toBe('crashed')
    tryKill(terminal.pid, 'SIGTERM')
    expect(await terminal.exited).toBe(137)
  })
})

/** The only child of a wrapper besides Claude. */
function guardOf(wrapper: number, claude: number): number | undefined {
  const children = listTree(systemRunner, systemProbe(systemRunner), wrapper).map(({ pid }) => pid)
  const grandchildren = listTree(systemRunner, systemProbe(systemRunner), claude).map(({ pid }) => pid)
  return children.slice(1).find(pid => !grandchildren.includes(pid))
}

/** A mission whose wrapper was killed and whose Claude has ended. */
async function lostMission(box: WrapperBox): Promise<string> {
  const { id } = await box.mission()
  const { wrapper_pid, claude_pid } = box.record(id)
  process.kill(wrapper_pid!, 'SIGKILL')
  await untilGone(wrapper_pid, claude_pid)
  return id
}

/** Changes a start time so that the process seems to be in another container. */
const inAnotherContainer = (start: string | null) => start!.replace(/:\d+:/, ':1:')

test('a mission whose container has ended can be resumed', async () => {
  const box = wrapperBox()
  const id = await lostMission(box)
  const { wrapper_start, claude_start } = box.record(id)
  box.change(
    'UPDATE missions SET wrapper_start = ?, claude_start = ?, heartbeat_at = ?',
    inAnotherContainer(wrapper_start),
    inAnotherContainer(claude_start),
    '2020-01-01T00:00:00.000Z',
  )
  expect(status(box, id)).toBe('crashed')
  box.run(['mission', 'resume', id])
  await box.ready(id)
  expect(status(box, id)).toBe('running')
})

describe('a failed start', () => {
  test('leaves a lost mission lost, so that it can still be restored', async () => {
    const box = wrapperBox()
    const id = await lostMission(box)
    const config = join(box.home, '.claude.json')
    const whole = readFileSync(config)
    writeFileSync(config, '{ "half')
    for (let attempt = 0; attempt < 2; attempt++) {
      const terminal = box.run(['mission', 'resume', id])
      await terminal.waitForText('Enter: resume, q: close')
      expect(terminal.screen()).toContain('/.claude.json: ')
      expect(box.record(id)).toMatchObject({ wrapper_pid: null, exit_code: 1, ended_by: 'lost' })
      expect(status(box, id)).toBe('crashed')
      terminal.type('q')
      expect(await terminal.exited).toBe(1)
    }
    writeFileSync(config, whole)
    box.run(['mission', 'resume', id])
    await box.ready(id)
  })

  test('leaves a stopped mission stopped', async () => {
    const box = wrapperBox()
    const { id } = await box.mission()
    expect(box.agenc(['mission', 'stop', id]).exitCode).toBe(0)
    writeFileSync(join(box.home, '.claude.json'), '{ "half')
    await box.run(['mission', 'resume', id]).waitForText('Enter: resume, q: close')
    expect(status(box, id)).toBe('stopped')
  })

  test('holds no lease if the run directory cannot be written', async () => {
    const box = wrapperBox()
    const { id } = await box.mission()
    expect(box.agenc(['mission', 'stop', id]).exitCode).toBe(0)
    const run = join(box.agencHome, 'missions', id, 'run')
    rmSync(run, { recursive: true })
    writeFileSync(run, '')
    await box.run(['mission', 'resume', id]).waitForText('Enter: resume, q: close')
    expect(box.record(id).wrapper_pid).toBeNull()
    expect(status(box, id)).toBe('stopped')
  })

  test('leaves no wake-up FIFO without a reader', async () => {
    const box = wrapperBox()
    const { id } = await box.mission()
    expect(box.agenc(['mission', 'stop', id]).exitCode).toBe(0)
    box.agenc(['config', 'set', 'claude.command', '/nowhere/claude'])
    for (let attempt = 0; attempt < 3; attempt++) {
      const terminal = box.run(['mission', 'resume', id])
      await terminal.waitForText('Enter: resume, q: close')
      expect(existsSync(new MissionPaths(join(box.agencHome, 'missions', id)).wakeup)).toBe(false)
    }
  })

  test('keeps an old Claude on record if it may still be alive', async () => {
    const box = wrapperBox()
    const id = await lostMission(box)
    const otherStart = inAnotherContainer(box.record(id).claude_start)
    const beat = new Date().toISOString()
    box.change('UPDATE missions SET claude_start = ?, heartbeat_at = ?', otherStart, beat)
    const terminal = box.run(['mission', 'resume', id])
    await terminal.waitForText('still alive')
    expect(box.record(id)).toMatchObject({ wrapper_pid: null, claude_start: otherStart, ended_by: 'lost' })
  })
})

describe('a mission whose wrapper ended without a trace is shown as crashed and can be resumed after', () => {
  test.each([
    ['a recycled pid', (start: string) => start.replace(/\d+$/, '1')],
    ['a reboot', (start: string) => start.replace(/^[^:]+/, '00000000-0000-0000-0000-000000000000')],
  ])('%s', async (_title, other) => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission()
    const { wrapper_pid, wrapper_start } = box.record(id)
    process.kill(wrapper_pid!, 'SIGTERM')
    await terminal.exited
    box.change('UPDATE missions SET wrapper_pid = ?, wrapper_start = ?', process.pid, other(wrapper_start!))
    expect(status(box, id)).toBe('crashed')
    box.run(['mission', 'resume', id])
    await box.ready(id)
    expect(status(box, id)).toBe('running')
  })
})
