import { expect, test } from 'vitest'
import { waitFor } from '../helpers/wait.ts'
import { assertHealthy } from './assert-healthy.ts'
import { faultBox } from './fault-box.ts'
import { expected, unprompted } from './faulty-mission.ts'

test('a Claude that prints without end, and one that never starts and ignores signals, can be stopped', async () => {
  const box = faultBox()
  box.agenc(['config', 'set', 'stop.grace_ms', '300'])
  const bystander = await box.start()
  const prompt = 'Hello. [[text Good morning.]]'
  const subjects = await Promise.all(
    (['flood', 'deaf'] as const).map(async kind => {
      box.kinds.become(kind, kind)
      const id = await box.newMission(bystander.id, '--name', kind, '--prompt', prompt)
      await waitFor('its Claude', () => box.record(id).claude_pid)
      return { id, prompt, sessionId: box.record(id).session_id }
    }),
  )
  const [flood] = subjects
  await waitFor('the flood', () => box.screen(box.windowOf(flood!.id)!.id).includes('flood flood'))
  const ids = subjects.map(({ id }) => id)
  expect(box.agenc(['mission', 'stop', ...ids])).toMatchObject({ exitCode: 0 })
  box.kinds.behave()
  await assertHealthy(box, {
    missions: new Map([
      unprompted(bystander, 'running'),
      ...subjects.map(subject => expected(subject, 'stopped')),
    ]),
  })
})
