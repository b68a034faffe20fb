import { expect, test } from 'vitest'
import { isAlive } from '../helpers/processes.ts'
import { sessionBox } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'

test('attach, pick a repo, work, start a side mission, exit, and return to the first window', async () => {
  const box = sessionBox()
  const repo = box.addRepo('alpha')
  const terminal = box.attach()
  await terminal.waitForText(repo)
  terminal.type('\r')
  await terminal.waitForText('❯')
  const [first] = box.windows()
  expect(first).toMatchObject({ isActive: true, panes: 1 })
  const mission = await box.waitForState(first!.mission, 'idle')
  expect(mission).toMatchObject({ repo, status: 'running', tmux_window: first!.id })
  expect(first!.name).toBe(`${mission.short_id} ${repo}`)

  terminal.type('hello [[text good morning]]')
  terminal.type('\r')
  await terminal.waitForText('good morning')

  const side = box.agenc(['mission', 'new', '--blank', '--name', 'side'], {
    env: box.inside(first!.id),
  })
  expect(side).toMatchObject({ exitCode: 0 })
  const sideId = side.stdout.trim()
  await box.waitForState(sideId, 'idle')
  expect(box.windows().map(({ mission, isActive, parent }) => ({ mission, isActive, parent }))).toEqual([
    { mission: mission.id, isActive: false, parent: '' },
    { mission: sideId, isActive: true, parent: first!.id },
  ])
  await terminal.waitForText('side')
  terminal.type('/exit')
  terminal.type('\r')
  await waitFor('the side window to close', () => box.windows().length === 1)
  expect(box.windows()[0]).toMatchObject({ mission: mission.id, isActive: true })
  expect(box.mission(sideId)).toMatchObject({ status: 'stopped', last_exit: { code: 0 } })

  const { wrapper_pid, claude_pid } = box.mission(mission.id)
  const killed = box.agenc(['tmux', 'kill'])
  expect(killed).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await terminal.exited).toBe(0)
  expect(box.mission(mission.id).status).toBe('stopped')
  expect([wrapper_pid, claude_pid].map(pid => isAlive(pid!))).toEqual([false, false])
})
