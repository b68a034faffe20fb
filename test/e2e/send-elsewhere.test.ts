import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { promptsIn, startHeadless, untilResult } from '../helpers/headless.ts'
import { send } from '../helpers/sending.ts'
import { waitFor } from '../helpers/wait.ts'
import { wrapperBox } from '../helpers/wrapper-box.ts'

test('in a terminal outside tmux only the user can type, and a text that would do harm is refused everywhere', async () => {
  const box = wrapperBox()
  const { id } = await box.mission()
  const refused = send(box, id, 'Hello.')
  expect(refused).toMatchObject({ outcome: 'not_taken', kept: false, exitCode: 1 })
  expect(refused.reason).toContain('--as agent')
  expect(send(box, id, 'exit')).toEqual({
    id: null,
    mission_id: id,
    outcome: 'not_taken',
    kept: false,
    reason: '"exit" would end Claude',
    answer: null,
    exitCode: 1,
  })
  for (const args of [
    [id],
    [id, 'a', '--file', 'b'],
    [id, 'a', '--timeout', '1s'],
    [id, 'a', '--as', 'nobody'],
    ['--cancel', 'x'],
  ])
    expect(box.agenc(['send', ...args]).exitCode).toBe(64)
  expect(box.agenc(['send', '--cancel', '99']).exitCode).toBe(1)
  expect(box.record(id).state).toBe('idle')
})

test('a Claude without a terminal takes messages, also while it is busy', async () => {
  const box = wrapperBox()
  const id = startHeadless(box, 'First. [[text One.]]')
  await untilResult(box, id)
  await box.until(id, 'idle')
  const file = join(box.root, 'message')
  writeFileSync(file, 'Second.\r\nline [[delay 1500]] [[text Two.]]\n')
  expect(send(box, id, '--file', file)).toMatchObject({ outcome: 'taken', kept: false, exitCode: 0 })
  const third = await box.agencAsync(['send', id, 'Third. [[text Three.]]', '--wait'])
  expect(third).toMatchObject({ exitCode: 0, stdout: 'Three.\n' })
  expect(promptsIn(box, id).map(text => text.trim())).toEqual([
    'First. [[text One.]]',
    'Second.\nline [[delay 1500]] [[text Two.]]',
    'Third. [[text Three.]]',
  ])
  const late = await box.agencAsync(['send', id, 'Fourth. [[hang]]', '--wait', '--timeout', '1s', '--json'])
  expect(late.exitCode).toBe(124)
  expect(JSON.parse(late.stdout)).toMatchObject({ outcome: 'taken', answer: null })
  expect(await box.agencAsync(['mission', 'interrupt', id])).toMatchObject({ exitCode: 0 })
  await waitFor('its rest', () => box.record(id).state === 'idle')
})
