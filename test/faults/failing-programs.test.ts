import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assertHealthy } from './assert-healthy.ts'
import { type FaultBox, faultBox } from './fault-box.ts'
import { expected, unprompted } from './faulty-mission.ts'
import { failingProgram } from './injectors/failing-program.ts'
import { killedHalfWay } from './injectors/killed-half-way.ts'
import { missionIn } from './mission-states.ts'

const directories = (box: FaultBox) => readdirSync(join(box.agencHome, 'missions')).sort()

test('cp dies while a mission is forked: nothing is left', async () => {
  const box = faultBox()
  const bystander = await box.start()
  const original = await missionIn(box, 'idle', bystander.id)
  const before = directories(box)
  for (const failure of ['dies before', 'dies after'] as const) {
    const failing = failingProgram(box, 'cp', '--', failure)
    const env = { ...box.inside(bystander.id), ...failing.env }
    const fork = ['mission', 'fork', original.id, '--no-focus']
    expect(box.agenc(fork, { env }), failure).toMatchObject({ exitCode: 1 })
    expect(failing.hasFailed(), failure).toBe(true)
    expect(directories(box), failure).toEqual(before)
  }
  await assertHealthy(box, {
    missions: new Map([unprompted(bystander, 'running'), expected(original, 'running')]),
  })
})

test('agenc is killed while cp forks a mission: doctor finds what is left, and removes it', async () => {
  const box = faultBox()
  const bystander = await box.start()
  const original = await missionIn(box, 'idle', bystander.id)
  const before = directories(box)
  const failing = failingProgram(box, 'cp', '--', 'hangs')
  const env = { ...box.inside(bystander.id), ...failing.env }
  const fork = ['mission', 'fork', original.id, '--no-focus']
  await killedHalfWay(box, fork, { env, when: failing.hasFailed })
  expect(directories(box).length).toBeGreaterThan(before.length)
  expect(box.agenc(['doctor'])).toMatchObject({ stdout: expect.stringMatching(/warning +leftovers/) })
  expect(box.agenc(['doctor', '--fix'])).toMatchObject({ exitCode: 0 })
  expect(directories(box)).toEqual(before)
  await assertHealthy(box, {
    missions: new Map([unprompted(bystander, 'running'), expected(original, 'running')]),
  })
})

test('tmux dies or hangs while a mission is resumed: the mission stays as it was', async () => {
  const box = faultBox()
  const bystander = await box.start()
  const subject = await missionIn(box, 'idle', bystander.id)
  expect(box.agenc(['mission', 'stop', subject.id])).toMatchObject({ exitCode: 0 })
  for (const failure of ['dies before', 'hangs'] as const) {
    const tmux = failingProgram(box, 'tmux', '-S', failure)
    const env = { ...box.inside(bystander.id), ...tmux.env }
    const resumed = box.agenc(['mission', 'resume', subject.id, '--no-focus'], { env })
    expect(tmux.hasFailed()).toBe(true)
    expect(resumed.exitCode).not.toBe(0)
    expect(box.openWindows()).toHaveLength(1)
  }
  await assertHealthy(box, {
    missions: new Map([unprompted(bystander, 'running'), expected(subject, 'stopped')]),
  })
})
