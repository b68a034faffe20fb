import { expect, test } from 'vitest'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'

const active = (box: SessionBox) => box.windows().find(({ isActive }) => isActive)!.id

const isUnseen = (box: SessionBox, window: string) =>
  box.tmux('display-message', '-p', '-t', window, '#{@agenc_done}').trim() === '1'

async function prompt(box: SessionBox, window: string, words: string): Promise<void> {
  box.tmux('send-keys', '-t', window, '-l', words)
  box.tmux('send-keys', '-t', window, 'Enter')
}

test('next goes to waiting missions first, then to finished ones that the user has not seen', async () => {
  const box = sessionBox()
  box.agenc(['config', 'set', 'claude.permission_mode', 'default'])
  const a = await box.start()
  const finished = await box.startFrom(a.id, '--no-focus')
  const waiting = await box.startFrom(a.id, '--no-focus')
  const later = await box.startFrom(a.id, '--no-focus')
  await prompt(box, finished.id, 'hello [[text good morning]]')
  await waitFor('the first to finish', () => isUnseen(box, finished.id))
  await prompt(box, later.id, 'hello [[text good evening]]')
  await waitFor('the second to finish', () => isUnseen(box, later.id))
  await prompt(box, waiting.id, '[[bash touch x]]')
  await box.waitForState(waiting.mission, 'waiting')

  const visited: string[] = []
  for (let time = 0; time < 4; time++) {
    expect(box.agenc(['tmux', 'next'], { env: box.inside(active(box)) })).toMatchObject({
      exitCode: 0,
      stderr: '',
    })
    visited.push(active(box))
    await waitFor('it to be seen', () => !isUnseen(box, active(box)))
  }
  expect(visited).toEqual([waiting.id, finished.id, waiting.id, later.id])
})

test('without any, next says so', async () => {
  const box = sessionBox()
  const a = await box.start()
  const done = box.agenc(['tmux', 'next'], { env: box.inside(a.id) })
  expect(done).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('No mission is waiting for you'),
  })
})
