import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { defaultConfig } from '../../src/config/read.ts'
import type { Context } from '../../src/context.ts'
import { windowLabels } from '../../src/mission/naming.ts'
import type { MissionId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import { TmuxWindow } from '../../src/surface/tmux-window.ts'
import { type Runner, systemRunner } from '../../src/system/runner.ts'
import { sessionTarget, type WindowId } from '../../src/tmux/current-window.ts'
import { tmuxAt } from '../../src/tmux/tmux.ts'
import { openCall } from '../../src/tmux/two-step-call.ts'
import { openWindowFrom } from '../../src/tmux/windows.ts'
import { agencScript, type Ran, type Sandbox, sandbox } from '../helpers/cli.ts'
import { isAlive, tryKill } from '../helpers/processes.ts'
import { sessionBox } from '../helpers/session.ts'
import { type TmuxBench, tmuxBench } from '../helpers/tmux.ts'
import { waitFor } from '../helpers/wait.ts'

const noAnswer = 'no answer within 3 s'
const silent = { kind: 'failed', lines: [], command: 'list-sessions', message: noAnswer, timedOut: true }
const missionId = '0f7a3c52-1111-4222-8333-944455566677' as MissionId
const listSessions = ['list-sessions', '-F', '#{session_name}']

/** Suspends the server until the test ends, or until the returned function is called. */
function suspend(serverPid: string): () => void {
  const resume = () => tryKill(Number(serverPid), 'SIGCONT')
  onTestFinished(resume)
  process.kill(Number(serverPid), 'SIGSTOP')
  return resume
}

function suspendedBench(): TmuxBench & { resume: () => void } {
  const bench = tmuxBench()
  return { ...bench, resume: suspend(bench.run('display-message', '-p', '#{pid}')) }
}

/** Puts a tmux first on the PATH that never answers and ignores SIGTERM. */
function withHangingTmux(box: Sandbox): NodeJS.ProcessEnv {
  const directory = join(box.root, 'hanging')
  mkdirSync(directory)
  writeFileSync(join(directory, 'tmux'), "#!/bin/sh\ntrap '' TERM\nexec sleep 60\n")
  chmodSync(join(directory, 'tmux'), 0o755)
  return { ...box.env, PATH: `${directory}:${box.env.PATH}` }
}

function counting(): { exec: Runner; calls: () => number } {
  let calls = 0
  const capture: Runner['capture'] = (...call) => {
    calls++
    return systemRunner.capture(...call)
  }
  return { exec: { ...systemRunner, capture }, calls: () => calls }
}

afterEach(() => void vi.useRealTimers())

describe('a call', () => {
  test('fails if the server does not answer, and is not taken for one without a server', () => {
    const { box } = suspendedBench()
    expect(tmuxAt(systemRunner, box.env, null).ask(listSessions)).toEqual(silent)
  })

  test('fails if the program hangs, even if it ignores SIGTERM', () => {
    const env = withHangingTmux(sandbox())
    expect(tmuxAt(systemRunner, env, null).ask(listSessions)).toEqual(silent)
  })

  test('does not wait again for a server that has just not answered', () => {
    const { box } = suspendedBench()
    const { exec, calls } = counting()
    const again = () => tmuxAt(exec, { ...box.env }, null)
    again().ask(listSessions)
    expect(again().ask(listSessions)).toEqual(silent)
    const error = { message: `tmux does not answer: ${noAnswer}`, hint: "Check that 'tmux ls' works." }
    expect(() => again().tell(listSessions)).toThrow(expect.objectContaining(error))
    expect(() => again().source(['list-sessions'])).toThrow(expect.objectContaining(error))
    expect(calls()).toBe(1)
  })

  test('a script fails like a command', () => {
    const { box } = suspendedBench()
    expect(() => tmuxAt(systemRunner, box.env, null).source(['list-sessions'])).toThrow(noAnswer)
  })

  test('asks again later, because a mission outlives a server that hangs for a while', () => {
    const { box, resume } = suspendedBench()
    const tmux = tmuxAt(systemRunner, box.env, null)
    tmux.ask(listSessions)
    resume()
    expect(tmux.ask(listSessions)).toEqual(silent)
    vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ['Date'] })
    expect(tmux.ask(listSessions)).toEqual({ kind: 'ok', lines: ['agenc'] })
  })

  test('in two steps fails too', async () => {
    const { tmux } = suspendedBench()
    const { answer, continueWith } = await openCall(tmux, listSessions)
    expect(answer).toEqual(silent)
    expect(await continueWith(['new-window', '-d'])).toEqual(silent)
  })

  test('in two steps fails if the server stops answering between them, and does not try to open the window twice', async () => {
    const { box, run } = tmuxBench()
    const { exec, calls } = counting()
    const tmux = tmuxAt(exec, box.env, null)
    const { continueWith } = await openCall(tmux, listSessions)
    suspend(run('display-message', '-p', '#{pid}'))
    const window = '@0' as WindowId
    const opening = openWindowFrom(
      { tmux, window, continueWith },
      {
        labels: windowLabels({ id: missionId, name: null, repo: null }),
        directory: '/',
        command: ['cat'],
        environment: {},
        self: ['true'],
        parent: null,
        after: window,
        focus: false,
      },
    )
    await expect(opening).rejects.toThrow(noAnswer)
    expect(calls()).toBe(0)
  })

  test('that starts a server waits for a slow tmux.conf', () => {
    const box = sandbox()
    const configFile = join(box.root, 'slow.conf')
    writeFileSync(configFile, "run-shell 'sleep 4'\n")
    const tmux = tmuxAt(systemRunner, box.env, null, { configFile })
    onTestFinished(() => void tmux.ask(['kill-server']))
    expect(tmux.ask(['new-session', '-d', '-s', 'agenc', 'exec cat'], listSessions)).toEqual({
      kind: 'ok',
      lines: ['agenc'],
    })
  })
})

const unknownWindows = 'agenc: tmux does not answer, so its windows are unknown'
const hint = "Check that 'tmux ls' works."

function expectFailure(ran: Ran): void {
  expect(ran).toMatchObject({ exitCode: 1, stdout: '' })
  expect(ran.stderr).toContain('tmux does not answer')
  expect(ran.stderr).toContain(hint)
}

describe('while tmux does not answer', () => {
  test('commands show what the store knows, or fail, and change nothing', async () => {
    const box = sessionBox()
    const window = await box.start()
    const inside = { env: box.inside(window.id) }
    const before = box.mission(window.mission)
    const resume = suspend(box.tmux('display-message', '-p', '#{pid}').trim())

    const shown = ['mission ls', `mission show ${window.mission}`, 'status']
    const failing = [
      'tmux kill',
      'tmux restore',
      'tmux detach',
      'tmux inject-config',
      'tmux switch',
      'tmux next',
    ]
    const [[ls, show, status], failed, inSession, doctor] = await Promise.all([
      Promise.all(shown.map(line => box.agencAsync([...line.split(' '), '--json']))),
      Promise.all(failing.map(line => box.agencAsync(line.split(' ')))),
      Promise.all(
        [
          ['mission', 'new', '--blank'],
          ['tmux', 'kill'],
        ].map(args => box.agencAsync(args, inside)),
      ),
      box.agencAsync(['doctor']),
    ])

    for (const ran of [ls!, show!, status!]) {
      expect(ran.exitCode).toBe(0)
      expect(ran.stderr).toContain(unknownWindows)
    }
    const unchanged = { ...before, tmux_window: null, done_unseen: null }
    expect(JSON.parse(ls!.stdout)).toEqual([unchanged])
    expect(JSON.parse(show!.stdout)).toMatchObject({ id: before.id, status: 'running', tmux_window: null })
    for (const ran of [...failed, ...inSession]) expectFailure(ran)
    expect(doctor.stdout + doctor.stderr).toContain(`tmux does not answer: ${noAnswer}`)

    resume()
    await waitFor('tmux to answer', () => box.windows().length > 0)
    expect(box.missions()).toEqual([before])
    expect(isAlive(before.wrapper_pid!)).toBe(true)
    expect(box.tmux('has-session', '-t', sessionTarget)).toBe('')
  })

  test('a hanging program is no reason to hang', async () => {
    const box = sessionBox()
    const { mission } = await box.start()
    const env = withHangingTmux(box)
    const [ls, doctor, ...failed] = await Promise.all(
      ['mission ls', 'doctor', 'tmux kill', 'tmux restore'].map(line =>
        box.agencAsync(line.split(' '), { env }),
      ),
    )
    expect(ls).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(unknownWindows) })
    expect(doctor!.stdout + doctor!.stderr).toContain(`tmux does not answer: ${noAnswer}`)
    for (const ran of failed) expectFailure(ran)
    expect(box.mission(mission).status).toBe('running')
  })

  function windowIn(box: Sandbox): TmuxWindow {
    const socket = join(box.root, 'tmux', `tmux-${process.getuid!()}`, 'default')
    const variables = { AGENC_TMUX: '1', TMUX: `${socket},1,0`, TMUX_PANE: '%0' }
    const env: NodeJS.ProcessEnv = { ...box.env, ...variables }
    const context = {
      exec: systemRunner,
      env,
      paths: pathsAt(box.agencHome),
      self: [process.execPath, agencScript],
      now: () => new Date(),
    } as Partial<Context> as Context
    return TmuxWindow.of(context, defaultConfig)!
  }

  test('a window that explains why its mission ended claims it no longer, once tmux answers', () => {
    const { box, run, resume } = suspendedBench()
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    const window = windowIn(box)
    const mission = { id: missionId, name: null, repo: null }
    window.show(mission, { state: 'busy', waitingFor: null, isDone: false })
    window.abandon()
    resume()
    vi.advanceTimersByTime(60_000)
    expect(run('show-options', '-wqv', '-t', '%0', '@agenc_mission_uuid')).toBe('')
  })

  test('a mission shows its state later', () => {
    const { box, run, resume } = suspendedBench()
    const window = windowIn(box)
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    for (const state of ['busy', 'idle'] as const) {
      const mission = { id: missionId, name: null, repo: null }
      expect(window.show(mission, { state, waitingFor: null, isDone: false })).toBeNull()
    }
    resume()
    vi.advanceTimersByTime(60_000)
    expect(run('show-options', '-wv', '-t', '%0', '@agenc_state')).toBe('idle')
    window.leave({ isStopped: true })
  })

  test('a mission can be stopped', async () => {
    const box = sessionBox()
    const { mission } = await box.start()
    const { wrapper_pid, claude_pid } = box.mission(mission)
    suspend(box.tmux('display-message', '-p', '#{pid}').trim())
    const stopped = await box.agencAsync(['mission', 'stop', mission])
    expect(stopped.exitCode).toBe(0)
    expect([wrapper_pid!, claude_pid!].some(isAlive)).toBe(false)
  })
})
