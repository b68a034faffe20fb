import { expect, test } from 'vitest'
import { sessionBox } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'

test('resume takes several missions, and --all', async () => {
  const box = sessionBox()
  const first = await box.start()
  const b = await box.startFrom(first.id, '--name', 'bee', '--prompt', 'hello', '--no-focus')
  const c = await box.startFrom(first.id, '--name', 'sea', '--prompt', 'hello', '--no-focus')
  const env = box.inside(first.id)
  expect(box.agenc(['stop', 'bee', 'sea']).exitCode).toBe(0)
  const resumed = await box.agencAsync(['resume', 'bee', c.mission], { env })
  expect(resumed).toMatchObject({ exitCode: 0, stdout: '' })
  expect(resumed.stderr).toBe(
    `[1/2] ${b.mission.slice(0, 8)} bee resumed\n[2/2] ${c.mission.slice(0, 8)} sea resumed\n`,
  )
  for (const { mission } of [b, c]) await box.waitForState(mission, 'idle')
  expect(box.windows().filter(({ mission }) => mission)).toHaveLength(3)
  expect(box.windowOf(first.mission)!.isActive).toBe(true)

  box.agenc(['stop', 'bee'])
  box.agenc(['mission', 'archive', 'sea'])
  expect(box.agencJson(['resume', '--all'])).toEqual([{ id: b.mission, resumed: true, reason: null }])
  expect(box.mission(c.mission).status).toBe('archived')
  expect(box.agenc(['resume', '--all'])).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: 'There is nothing to resume.\n',
  })
  // One that runs already is left alone.
  expect(box.agenc(['resume', 'bee', first.mission]).stderr).toContain('bee is running')
})

test('without a session, resume of several creates one, without a terminal', async () => {
  const box = sessionBox()
  const first = await box.start()
  const b = await box.startFrom(first.id, '--prompt', 'hello', '--no-focus')
  box.agenc(['stop', '--all'])
  await waitFor('the session to end', () => {
    try {
      return box.windows().length === 0
    } catch {
      return true
    }
  })
  const resumed = await box.agencAsync(['resume', first.mission, b.mission])
  expect(resumed.exitCode, resumed.stderr).toBe(0)
  expect(resumed.stderr).toContain('Go there with: agenc tmux attach')
  for (const { mission } of [first, b]) await box.waitForState(mission, 'idle')
  expect(box.windows().map(({ mission }) => mission)).toEqual([first.mission, b.mission])
})

test('names and --all exclude each other', () => {
  const box = sessionBox()
  expect(box.agenc(['resume', 'x', '--all'])).toMatchObject({ exitCode: 64 })
})
