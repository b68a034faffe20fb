import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { outputOf, promptsIn, shown, startHeadless, untilResult } from '../helpers/headless.ts'
import { wrapperBox } from '../helpers/wrapper-box.ts'

test('a mission runs without a terminal, tells its result, and ends when it is stopped', async () => {
  const box = wrapperBox()
  const id = startHeadless(box, 'Hello. [[text Hi there.]]')
  await untilResult(box, id)
  await box.until(id, 'idle')
  const mission = shown(box, id)
  expect(mission).toMatchObject({ headless: true, status: 'running', state: 'idle', tmux_window: null })
  expect(mission.result).toMatchObject({ text: 'Hi there.', is_error: false, time_ran_out: false, turns: 1 })
  expect(mission.result?.tokens).toEqual({ input: 10, output: 10, cache_read: 0, cache_write: 0 })
  expect(promptsIn(box, id)).toEqual(['Hello. [[text Hi there.]]'])
  expect(outputOf(box, id)).toContain('"type":"result"')
  expect(statSync(join(box.agencHome, 'missions', id, 'output.log')).mode & 0o777).toBe(0o600)

  expect(box.agenc(['mission', 'stop', id]).exitCode).toBe(0)
  expect(shown(box, id)).toMatchObject({ status: 'stopped', headless: true })
})
