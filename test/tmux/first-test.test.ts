import { expect, test } from 'vitest'
import { sessionBox } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'

test('stopping a mission closes its window, and only its window', async () => {
  const box = sessionBox()
  const first = await box.start()
  const second = await box.startFrom(first.id, '--name', 'second')
  expect(box.agenc(['mission', 'stop', second.mission])).toMatchObject({ exitCode: 0 })
  await waitFor('the window to close', () => box.windowOf(second.mission) === undefined)
  expect(box.windows().map(({ mission }) => mission)).toEqual([first.mission])
})
