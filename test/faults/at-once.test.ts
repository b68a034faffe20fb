import { expect, test } from 'vitest'
import { untilGone } from '../helpers/processes.ts'
import { assertHealthy } from './assert-healthy.ts'
import { faultBox } from './fault-box.ts'
import { expected, unprompted } from './faulty-mission.ts'
import { missionIn } from './mission-states.ts'

test('tmux dies, and three restores run at once', async () => {
  const box = faultBox()
  const bystander = await box.start()
  const subjects = [
    await missionIn(box, 'idle', bystander.id),
    await missionIn(box, 'busy', bystander.id),
    await missionIn(box, 'starting', bystander.id),
  ]
  box.kinds.behave()
  const processes = box.missions().flatMap(({ wrapper_pid, claude_pid }) => [wrapper_pid, claude_pid])
  process.kill(box.serverPid(), 'SIGKILL')
  await untilGone(...processes)
  const restores = await Promise.all([1, 2, 3].map(() => box.agencAsync(['tmux', 'restore', '--json'])))
  const restored = restores
    .flatMap(({ stdout }) => JSON.parse(stdout) as { id: string; restored: boolean }[])
    .filter(one => one.restored)
    .map(({ id }) => id)
  expect(restored.sort()).toEqual([bystander.mission, ...subjects.map(({ id }) => id)].sort())
  await assertHealthy(box, {
    missions: new Map([
      unprompted(bystander, 'running'),
      ...subjects.map(subject => expected(subject, 'running')),
    ]),
  })
})
