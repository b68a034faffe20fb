import { expect, test } from 'vitest'
import { agencScript } from '../helpers/cli.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

function say(box: SessionBox, window: string, text: string): void {
  box.tmux('send-keys', '-t', window, '-l', text)
  box.tmux('send-keys', '-t', window, 'Enter')
}

/** The rows of `agenc ls` on a terminal, without the title. */
async function listed(box: SessionBox): Promise<string[]> {
  const terminal = openTerminal(process.execPath, [agencScript, 'ls'], {
    env: box.env,
    cwd: box.root,
    columns: 110,
  })
  expect(await terminal.exited).toBe(0)
  return terminal.screen().split('\n').slice(1)
}

test('ls lists waiting missions first, then those that are done and unseen, with their window numbers', async () => {
  const box = sessionBox()
  box.agenc(['config', 'set', 'claude.permission_mode', 'default'])
  const first = await box.start()
  const early = await box.startFrom(first.id, '--name', 'early', '--no-focus')
  const late = await box.startFrom(first.id, '--name', 'late', '--no-focus')
  const done = await box.startFrom(first.id, '--name', 'finished', '--no-focus')
  const terminal = box.attach()
  await terminal.waitForText('4 idle')
  say(box, early.id, '[[bash touch x]]')
  await box.waitForState(early.mission, 'waiting')
  say(box, late.id, '[[bash touch x]]')
  await box.waitForState(late.mission, 'waiting')
  say(box, done.id, '[[text It is done.]]')
  await waitFor('the mark', () => box.mission(done.mission).done_unseen === true)
  // Another mission is active after all of them.
  say(box, first.id, 'hello')
  await waitFor('the answer', () => box.missions().find(({ id }) => id === first.mission)!.about === 'hello')
  await box.waitForState(first.mission, 'idle')

  const numbers = new Map(
    box
      .tmux('list-windows', '-t', '=agenc:', '-F', '#{@agenc_mission_uuid} #{window_index}')
      .trimEnd()
      .split('\n')
      .map(line => line.split(' ') as [string, string]),
  )
  const row = (id: string, state: string, about: string) =>
    expect.stringMatching(
      new RegExp(`^${id.slice(0, 8)}  ${state} +\\(blank\\) +${about} +${numbers.get(id)} +\\d+s$`),
    )
  const expected = [
    row(early.mission, 'waiting: permission', 'early'),
    row(late.mission, 'waiting: permission', 'late'),
    row(done.mission, 'done', 'finished'),
    row(first.mission, 'idle', 'hello'),
  ]
  expect(await listed(box)).toEqual(expected)
  expect(box.missions().map(({ id }) => id)).toEqual([early, late, done, first].map(({ mission }) => mission))

  box.tmux('select-window', '-t', done.id)
  await waitFor('the mark to go', () => box.mission(done.mission).done_unseen === false)
  expect((await listed(box))[2]).not.toContain('done')
})

test('a window that is linked into another session keeps its number and its id', async () => {
  const box = sessionBox()
  const first = await box.start()
  const second = await box.startFrom(first.id, '--name', 'linked', '--no-focus')
  box.tmux('new-session', '-d', '-s', 'aaa', 'sleep 1000')
  box.tmux('link-window', '-s', second.id, '-t', '=aaa:77')
  const number = box.tmux('display-message', '-p', '-t', `=agenc:${second.id}`, '#{window_index}').trim()
  const row = (await listed(box)).find(line => line.includes('linked'))
  expect(row).toMatch(new RegExp(`linked +${number} +\\d+s$`))
  expect(box.mission(second.mission).tmux_window).toBe(second.id)
})
