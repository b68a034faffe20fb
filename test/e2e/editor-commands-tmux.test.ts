import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import type { StatusJson } from '../../src/commands/status.ts'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { findProgram } from '../../src/system/find-program.ts'
import { agencScript } from '../helpers/cli.ts'
import { writeProgram } from '../helpers/missions.ts'
import { needPrograms } from '../helpers/needs.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'
import { type Display, startDisplay } from '../helpers/x11.ts'

interface Desktop {
  box: SessionBox
  display: Display
  /** Two missions in the agenc session, which an xterm shows. The first is in view. */
  missions: [MissionJson, MissionJson]
  json<T>(args: string[], env?: NodeJS.ProcessEnv): T
}

async function twoMissions(context: TestContext): Promise<Desktop> {
  needPrograms(context, 'Xvfb', 'openbox', 'xprop', 'wmctrl', 'xdotool', 'xterm')
  const box = sessionBox()
  const display = await startDisplay(box)
  display.start('xterm', ['-e', process.execPath, agencScript, 'tmux', 'attach'])
  await waitFor('the picker', () => box.tmux('capture-pane', '-p', '-t', '=agenc:').includes('(blank)'))
  box.tmux('send-keys', '-t', '=agenc:', 'Enter')
  const first = await waitFor('the first mission', () => box.missions()[0])
  await box.waitForState(first.id, 'idle')
  const second = box.agenc(['mission', 'new', '--blank', '--no-focus'], { env: inside(box) }).stdout.trim()
  await box.waitForState(second, 'idle')
  return {
    box,
    display,
    missions: [box.mission(first.id), box.mission(second)],
    json: (args, env = {}) =>
      JSON.parse(box.agenc([...args, '--json'], { env: { ...display.env, ...env } }).stdout),
  }
}

/** The environment of a process in the first window. */
function inside(box: SessionBox): NodeJS.ProcessEnv {
  const format = '#{socket_path},#{pid},#{s/[$]//:session_id}\t#{pane_id}'
  const [TMUX, TMUX_PANE] = box.tmux('display-message', '-p', '-t', '=agenc:', format).trim().split('\t')
  return { AGENC_TMUX: '1', TMUX, TMUX_PANE }
}

const activeMission = (box: SessionBox) => box.windows().find(({ isActive }) => isActive)?.mission

test('focus selects the tmux window and raises the terminal that shows it', async context => {
  const { box, display, missions, json } = await twoMissions(context)
  const [first, second] = missions
  const { missions: seen } = json<StatusJson>(['status'])
  expect(seen).toHaveLength(2)
  for (const mission of seen) {
    expect(mission).toMatchObject({ presence: 'windowed', editor_open: true, editor_type: 'xterm' })
    expect(mission.window_id).toBe(seen[0]!.window_id)
  }

  display.start('xterm', ['-e', 'sleep', '600'])
  const inFront = () => display.run('xdotool', 'getactivewindow').trim()
  await waitFor('another window in front', () => inFront() !== seen[0]!.window_id)
  expect(activeMission(box)).toBe(first.id)
  expect(json(['mission', 'focus', second.id])).toEqual({
    id: second.id,
    tmux_window: second.tmux_window,
    window_id: seen[0]!.window_id,
    opened: null,
  })
  expect(activeMission(box)).toBe(second.id)
  await waitFor('the terminal in front', () => inFront() === seen[0]!.window_id)
})

test('without a client focus selects the tmux window and opens the editor', async context => {
  const { box, missions, json } = await twoMissions(context)
  const [, second] = missions
  box.tmux('detach-client', '-s', '=agenc')
  await waitFor('detached', () =>
    json<StatusJson>(['status']).missions.every(({ presence }) => presence === 'detached'),
  )
  const editor = writeProgram(`${box.root}/mine`, '')
  box.agenc(['config', 'set', 'editor.command', JSON.stringify([editor])])
  expect(json(['mission', 'focus', second.id], inside(box))).toMatchObject({
    window_id: null,
    opened: editor,
  })
  expect(activeMission(box)).toBe(second.id)
})

test('without a display focus selects the tmux window, and says nothing if no editor is installed', async context => {
  const { box, missions } = await twoMissions(context)
  const [, second] = missions
  const bin = join(box.root, 'only-tmux')
  mkdirSync(bin)
  symlinkSync(findProgram('tmux', process.env)!, join(bin, 'tmux'))
  const env = { ...inside(box), DISPLAY: '', WAYLAND_DISPLAY: '', PATH: bin }
  expect(box.agenc(['mission', 'focus', second.id], { env })).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  expect(activeMission(box)).toBe(second.id)
})
