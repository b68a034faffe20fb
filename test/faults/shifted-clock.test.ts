import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assertHealthy } from './assert-healthy.ts'
import { faultBox } from './fault-box.ts'
import { expected, say, unprompted } from './faulty-mission.ts'
import { missionIn } from './mission-states.ts'

const hourMs = 3_600_000

test('the clock is set back by an hour and ahead by a day: states stay right', async () => {
  const box = faultBox()
  const clock = join(box.root, 'clock')
  const preload = join(import.meta.dirname, 'injectors', 'shifted-clock.cjs')
  Object.assign(box.env, { NODE_OPTIONS: `-r ${preload}`, FAULT_CLOCK: clock })
  const bystander = await box.start()
  const idle = await missionIn(box, 'idle', bystander.id)
  const busy = await missionIn(box, 'busy', bystander.id)
  const waiting = await missionIn(box, 'waiting', bystander.id)

  writeFileSync(clock, String(-hourMs))
  box.tmux('send-keys', '-t', busy.window, 'Escape')
  await box.until(busy.id, 'idle')
  const more = 'More. [[text words]]+[[hang]]'
  await say(box, idle.window, more)
  await box.until(idle.id, 'busy')
  expect(box.agenc(['mission', 'answer', waiting.id, 'deny'])).toMatchObject({ exitCode: 0 })
  await box.until(waiting.id, 'idle')
  expect(box.agenc(['config', 'set', 'stop.grace_ms', '900'])).toMatchObject({ exitCode: 0 })

  writeFileSync(clock, String(24 * hourMs))
  box.tmux('send-keys', '-t', idle.window, 'Escape')
  await box.until(idle.id, 'idle')
  expect(box.mission(bystander.mission).status).toBe('running')
  process.kill(idle.wrapperPid, 'SIGKILL')
  expect(box.agenc(['mission', 'stop', busy.id])).toMatchObject({ exitCode: 0 })

  rmSync(clock)
  await assertHealthy(box, {
    missions: new Map([
      unprompted(bystander, 'running'),
      expected(idle, 'crashed', more),
      expected(busy, 'stopped'),
      expected(waiting, 'running'),
    ]),
    explanations: 1,
  })
})
