import { expect, test } from 'vitest'
import { smallDisk } from '../helpers/small-disk.ts'
import { waitFor } from '../helpers/wait.ts'
import { assertHealthy, statusesNow } from './assert-healthy.ts'
import { faultBox } from './fault-box.ts'
import { expected, say, unprompted } from './faulty-mission.ts'
import { missionIn } from './mission-states.ts'

test('the disk is full while missions take prompts, are left, stopped and killed', async context => {
  const box = faultBox()
  const disk = smallDisk(context, box.agencHome)
  const bystander = await box.start()
  const starting = await missionIn(box, 'starting', bystander.id)
  const left = await missionIn(box, 'idle', bystander.id)
  const stopped = await missionIn(box, 'busy', bystander.id)
  const killed = await missionIn(box, 'waiting', bystander.id)

  disk.fill()
  box.kinds.go()
  await waitFor('the prompt', () => box.promptsOf(starting.id).length === 1)
  await say(box, left.window, '/exit')
  await box.agencAsync(['mission', 'stop', stopped.id])
  process.kill(killed.wrapperPid, 'SIGKILL')
  await waitFor('the crash to show', () => statusesNow(box)[killed.id] === 'crashed')
  await waitFor('the end to show', () => statusesNow(box)[left.id] === 'stopped')
  expect(statusesNow(box)[bystander.mission]).toBe('running')

  disk.free()
  await assertHealthy(box, {
    missions: new Map([
      unprompted(bystander, 'running'),
      expected(starting, 'running'),
      expected(left, 'stopped'),
      expected(stopped, 'stopped'),
      expected(killed, 'crashed'),
    ]),
    explanations: 1,
  })
})
