import { expect, test } from 'vitest'
import { windowLabels } from '../../src/mission/naming.ts'
import type { MissionId } from '../../src/mission-id.ts'
import type { WindowId } from '../../src/tmux/current-window.ts'
import type { Tmux } from '../../src/tmux/tmux.ts'
import { type OpenCall, openCall } from '../../src/tmux/two-step-call.ts'
import { openWindowFrom } from '../../src/tmux/windows.ts'
import { tmuxBench } from '../helpers/tmux.ts'
import { waitFor } from '../helpers/wait.ts'

const sessionOf = ['display-message', '-p', '-t', '=agenc:', '#{session_name}']
const panes = ['list-panes', '-a', '-F', '#{pane_id}']

test('later commands can depend on the first answer, in the same call', async () => {
  const { tmux, run } = tmuxBench()
  const { answer, continueWith } = await openCall(tmux, sessionOf, ['list-windows', '-a', '-F', 'a window'])
  expect(answer).toEqual({ kind: 'ok', lines: ['agenc', 'a window'] })
  expect(await continueWith(['new-window', '-d', '-n', 'second', 'exec cat'], panes)).toEqual({
    kind: 'ok',
    lines: ['%0', '%1'],
  })
  expect(run('list-windows', '-F', '#{window_name}')).toContain('second')
})

test('a failed first command ends the call', async () => {
  const { tmux } = tmuxBench()
  const { answer, continueWith } = await openCall(tmux, sessionOf, ['has-session', '-t', '=other'])
  const failure = { kind: 'failed', lines: ['agenc'], message: "can't find session: other" }
  expect(answer).toMatchObject(failure)
  expect(await continueWith(['new-window', '-d'])).toMatchObject(failure)
})

test('commands after a failed one are not run', async () => {
  const { tmux, run } = tmuxBench()
  const { continueWith } = await openCall(tmux, sessionOf)
  const answer = await continueWith(
    ['new-window', '-d', '-P', '-F', 'opened', 'exec cat'],
    ['select-window', '-t', '@99'],
    ['set-option', '-s', '@after', '1'],
  )
  expect(answer).toEqual({
    kind: 'failed',
    lines: ['opened'],
    command: 'new-window',
    message: "can't find window: @99",
  })
  expect(run('show-options', '-sqv', '@after')).toBe('')
})

test.each([
  'plain',
  '',
  "it's",
  'say "hi"',
  'a;',
  ';',
  '$HOME ~ #{pane_id} #(date) %H',
  'back\\slash\\',
  'two\nlines',
  'two\n  lines',
  'a\n# c\nb',
  'x\\\ny',
  '\n',
  '{ } #',
  '👍 你好',
])('%j arrives unchanged', async text => {
  const { tmux } = tmuxBench()
  const { continueWith } = await openCall(tmux, sessionOf)
  const set = await continueWith(['set-option', '-s', '@text', text], ['show-options', '-sv', '@text'])
  expect(set).toEqual({ kind: 'ok', lines: text.split('\n') })
})

test('a server that ends during the call is reported as a failure', async () => {
  const { tmux } = tmuxBench()
  const { answer, continueWith } = await openCall(tmux, sessionOf)
  expect(answer.kind).toBe('ok')
  tmux.tell(['kill-server'])
  await waitFor('the server to be gone', () => tmux.ask(['list-sessions']).kind === 'no-server')
  expect((await continueWith(['new-window'])).kind).not.toBe('ok')
})

test('without a server there is no call', async () => {
  const { tmux } = tmuxBench()
  tmux.tell(['kill-server'])
  await waitFor('the server to be gone', () => tmux.ask(['list-sessions']).kind === 'no-server')
  expect((await openCall(tmux, sessionOf)).answer).toEqual({ kind: 'no-server', isInstalled: true })
})

test('continuing without commands ends the call', async () => {
  const { tmux } = tmuxBench()
  const { continueWith } = await openCall(tmux, sessionOf)
  expect(await continueWith()).toEqual({ kind: 'ok', lines: [] })
})

const id = '0f7a3c52-1111-4222-8333-944455566677' as MissionId

async function openMissionWindow(tmux: Tmux, continueWith: OpenCall['continueWith']): Promise<WindowId> {
  const window = '@0' as WindowId
  const opened = await openWindowFrom(
    { tmux, window, continueWith },
    {
      labels: windowLabels({ id, name: null, repo: null }),
      directory: '/',
      command: ['cat'],
      environment: {},
      self: ['true'],
      parent: null,
      after: window,
      focus: false,
    },
  )
  return opened.window
}

const missionWindows = ['list-windows', '-a', '-F', '#{window_id} #{@agenc_mission_uuid}']

test('the window is opened even if the call was killed', async () => {
  const { tmux, run } = tmuxBench()
  const ended: OpenCall['continueWith'] = async () => ({
    kind: 'failed',
    lines: [],
    command: '',
    message: 'ended',
  })
  expect(await openMissionWindow(tmux, ended)).toBe('@1')
  expect(run(...missionWindows)).toBe(`@0 \n@1 ${id}`)
})

test('the id of the new window is not confused with the output of user hooks', async () => {
  const { tmux, run } = tmuxBench()
  run('set-hook', '-g', 'after-new-window', 'display-message -p printed')
  run('set-hook', '-g', 'after-display-message', 'display-message -p "@99 printed"')
  const { continueWith } = await openCall(tmux, sessionOf)
  expect(await openMissionWindow(tmux, continueWith)).toBe('@1')
  expect(run('show-options', '-wv', '-t', '@1', '@agenc_mission_uuid')).toBe(id)
})

test('a window opened after a linked window is in the agenc session', async () => {
  const { tmux, run } = tmuxBench({ sessions: ['agenc', 'other'] })
  run('link-window', '-s', '=agenc:@0', '-t', '=other:')
  run('select-window', '-t', '=other:@0')
  const { continueWith } = await openCall(tmux, sessionOf)
  const window = await openMissionWindow(tmux, continueWith)
  expect(run('list-windows', '-t', '=agenc:', '-F', '#{window_id}')).toBe(`@0\n${window}`)
})
