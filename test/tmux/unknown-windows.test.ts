import { expect, test } from 'vitest'
import { sessionBox } from '../helpers/session.ts'

test('doctor finds a window whose mission the store does not know, at once', async () => {
  const box = sessionBox()
  const { id, mission } = await box.start()
  const leftovers = () =>
    (JSON.parse(box.agenc(['doctor', '--json']).stdout) as { check: string; message: string }[])
      .filter(({ check }) => check === 'leftovers')
      .map(({ message }) => message)
  expect(leftovers()).toEqual(['crashed missions left nothing behind'])
  const other = mission.replace(/^.{8}/, '00000000')
  box.tmux('set-option', '-w', '-t', id, '@agenc_mission_uuid', other)
  expect(leftovers()).toEqual([`the tmux window ${id} shows mission 00000000, which the store does not know`])
  box.tmux('set-option', '-w', '-t', id, '@agenc_mission_uuid', mission)
})
