import { expect, test } from 'vitest'
import type { LocatedMission, StatusJson } from '../../src/commands/status.ts'
import status from '../../src/commands/status.ts'
import type { Context } from '../../src/context.ts'
import type { Output } from '../../src/io/output.ts'
import { textWidth } from '../../src/io/text.ts'
import { pathsAt } from '../../src/paths.ts'
import { systemProbe } from '../../src/system/process-identity.ts'
import { type Runner, systemRunner } from '../../src/system/runner.ts'
import { agencScript, type Sandbox, sandbox } from '../helpers/cli.ts'
import { newMission, runningMission, storeMissions, useIdleClaude } from '../helpers/missions.ts'
import { needPrograms } from '../helpers/needs.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'
import { startDisplay } from '../helpers/x11.ts'

const noDisplay = { DISPLAY: '', WAYLAND_DISPLAY: '' }
const nothing = { running: 0, idle: 0, busy: 0, waiting: 0, stopped: 0, crashed: 0 }

test('without missions, status succeeds and says how to start one', () => {
  const box = sandbox()
  const shown = box.agenc(['status'])
  expect(shown).toMatchObject({ exitCode: 0, stdout: '' })
  expect(shown.stderr).toContain('agenc mission new')
  expect(box.agencJson(['status'])).toEqual({ missions: [], summary: nothing })
})

test('running, stopped and crashed missions are shown and counted', async () => {
  const box = sandbox()
  useIdleClaude(box)
  const [stopped, crashed] = await storeMissions(box, [
    { name: 'done' },
    { repo: 'github.com/o/app', ended_by: 'lost' },
    { archived_at: new Date().toISOString() },
  ])
  openTerminal(process.execPath, newMission, { env: { ...box.env, ...noDisplay }, cwd: box.root })
  const running = await runningMission(box)

  const shown = box.agenc(['status', '--json'], { env: noDisplay })
  const { missions, summary } = JSON.parse(shown.stdout) as StatusJson
  const noWindow = { editor_open: false, window_id: null, editor_type: null }
  // The mission is remote if the tests run over ssh.
  const presence = expect.stringMatching(/^(terminal|remote)$/)
  expect(summary).toEqual({ ...nothing, running: 1, stopped: 1, crashed: 1 })
  expect(byId(missions, running.id)).toEqual({ ...running, ...noWindow, presence })
  expect(byId(missions, stopped!)).toMatchObject({ status: 'stopped', ...noWindow, presence: 'none' })
  expect(byId(missions, crashed!)).toMatchObject({ status: 'crashed', ...noWindow, presence: 'none' })
  expect(missions).toHaveLength(3)

  const lines = box.agenc(['status'], { env: noDisplay }).stdout.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^ID +STATE +PRESENCE +WINDOW +EDITOR +REPO +NAME$/)
  expect(lines.find(line => line.startsWith(running.short_id))).toMatch(
    /starting +(terminal|remote) +- +- +\(blank\)/,
  )
  expect(lines.find(line => line.includes('crashed'))).toMatch(/crashed +none +- +- +o\/app/)
  expect(lines.at(-1)).toBe('1 running, 1 stopped, 1 crashed')
})

function byId(missions: readonly LocatedMission[], id: string): LocatedMission | undefined {
  return missions.find(mission => mission.id === id)
}

test('the table fits the terminal for any names', async () => {
  const box = sandbox()
  const hostile = `\u001b[31m${'👩‍🚀 spaceship '.repeat(20)}\n\u202e`
  await storeMissions(box, [{ name: hostile, repo: `github.com/${'o'.repeat(60)}/app` }, { name: 'short' }])
  const columns = 72
  const terminal = openTerminal(process.execPath, [agencScript, 'status'], { env: box.env, columns })
  expect(await terminal.exited).toBe(0)
  await terminal.waitForText('2 stopped')
  const lines = terminal.raw().split('\r\n')
  expect(lines.filter(line => textWidth(line) > columns)).toEqual([])
  expect(lines.filter(line => line !== '')).toHaveLength(4)
})

test('the window and editor that show a mission are named', async context => {
  needPrograms(context, 'Xvfb', 'openbox', 'xprop', 'wmctrl', 'xterm')
  const box = sandbox()
  useIdleClaude(box)
  const display = await startDisplay(box)
  const xterm = display.start('xterm', ['-e', process.execPath, ...newMission])
  await runningMission(box)
  const shown = await waitFor('the window to be found', () => {
    const { missions } = JSON.parse(
      box.agenc(['status', '--json'], { env: display.env }).stdout,
    ) as StatusJson
    return missions.find(({ presence }) => presence === 'windowed')
  })
  expect(shown).toMatchObject({ editor_open: true, editor_type: 'xterm' })
  const listed = display
    .run('wmctrl', '-lp')
    .split('\n')
    .map(line => line.split(/ +/))
  const [id] = listed.find(([, , pid]) => pid === String(xterm.pid))!
  expect(shown.window_id).toBe(String(Number(id)))
})

test('status runs as many programs for fifty missions as for one', async () => {
  const callsFor = async (count: number) => {
    const box = sandbox()
    const { pid, start } = systemProbe(systemRunner).identify(process.pid)!
    await storeMissions(
      box,
      Array.from({ length: count }, () => ({ wrapper_pid: pid, wrapper_start: start })),
    )
    const { context, calls, printed } = recordingContext(box)
    await status.run(context, { json: true })
    expect(JSON.parse(printed()).summary.running).toBe(count)
    return calls
  }
  expect(await callsFor(50)).toEqual(await callsFor(1))
})

function recordingContext(box: Sandbox) {
  const calls: string[] = []
  let text = ''
  const capture: Runner['capture'] = (file, args, options) => {
    calls.push(file)
    return systemRunner.capture(file, args, options)
  }
  const out: Output = {
    write: () => {},
    line: line => {
      text += line
    },
    isTerminal: false,
    hasReader: () => true,
    columns: 80,
    paint: (_style, painted) => painted,
  }
  const context: Context = {
    env: { ...box.env, DISPLAY: ':no-such-display' },
    cwd: box.root,
    paths: pathsAt(box.agencHome),
    now: () => new Date(),
    exec: { ...systemRunner, capture },
    self: [process.execPath, agencScript],
    stdin: process.stdin,
    out,
    err: out,
  }
  return { context, calls, printed: () => text }
}
