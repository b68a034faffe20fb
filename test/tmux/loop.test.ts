import { expect, test } from 'vitest'
import type { LoopJson } from '../../src/loop/loop-json.ts'
import { countTo } from '../helpers/loops.ts'
import { isAlive } from '../helpers/processes.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'

const show = (box: SessionBox, id: string) => box.agencJson<LoopJson>(['loop', 'show', id])

function start(box: SessionBox, ...args: string[]): string {
  const { exitCode, stdout, stderr } = box.agenc(['loop', 'start', ...args])
  if (exitCode !== 0) throw new Error(stderr)
  return stdout.trim()
}

test('a loop works in the window of a mission, and leaves it open', async () => {
  const box = sessionBox()
  box.agenc(['config', 'set', 'claude.permission_mode', 'acceptEdits'])
  const first = await box.start()
  const other = await box.startFrom(first.id, '--blank')
  const id = start(box, first.mission, '--prompt', 'Go on.', '--until', countTo(1))
  const loop = await waitFor('the end', () => {
    const seen = show(box, id)
    return seen.status === 'succeeded' && seen
  })
  expect(loop.rounds).toMatchObject([
    { ended_by: 'turn', exit: 1, changed: false },
    { ended_by: 'turn', exit: 0, changed: true },
  ])
  expect(box.mission(first.mission)).toMatchObject({ status: 'running', state: 'idle', headless: false })
  box.tmux('select-window', '-t', other.id)
  expect(box.agencJson(['loop', 'focus', id])).toMatchObject({ id: first.mission, tmux_window: first.id })
  expect(box.windows().find(({ isActive }) => isActive)?.id).toBe(first.id)
})

test('--window opens a window, and stop ends only the turn there', async () => {
  const box = sessionBox()
  const repo = box.addRepo('project')
  const id = start(box, repo, '--window', '--prompt', 'Work. [[hang]]', '--until', 'false')
  const { mission_id, runner_pid } = show(box, id)
  await box.waitForState(mission_id, 'busy')
  expect(box.windowOf(mission_id)).toBeDefined()
  const stopped = box.agencJson<LoopJson>(['loop', 'stop', id])
  expect(stopped).toMatchObject({ status: 'stopped', window: true })
  expect(isAlive(runner_pid!)).toBe(false)
  await box.waitForState(mission_id, 'idle')
})
