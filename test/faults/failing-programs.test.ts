import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assertHealthy } from './assert-healthy.ts'
import { type FaultBox, faultBox } from './fault-box.ts'
import { expected, unprompted } from './faulty-mission.ts'
import { type Failure, failingProgram } from './injectors/failing-program.ts'
import { killedHalfWay } from './injectors/killed-half-way.ts'
import { missionIn } from './mission-states.ts'

const directories = (box: FaultBox) => readdirSync(join(box.agencHome, 'missions')).sort()

interface Broken {
  program: string
  /** The argument at which it fails. */
  word: string
  failure: Failure
  /** The agenc command that runs it. */
  command: string[]
}

/** Programs that run while a mission is made. */
function broken(repo: string, original: string): Broken[] {
  const make = ['mission', 'new', repo, '--no-focus']
  const fork = ['mission', 'fork', original, '--no-focus']
  const deaths = ['dies before', 'dies after'] as const
  return deaths.flatMap(failure => [
    { program: 'git', word: 'clone', failure, command: make },
    { program: 'git', word: 'read-tree', failure, command: make },
    { program: 'cp', word: '--', failure, command: fork },
  ])
}

test('git and cp die while missions are made: nothing is left', async () => {
  const box = faultBox()
  const repo = box.addRepo('alpha')
  const bystander = await box.start()
  const original = await missionIn(box, 'idle', bystander.id)
  const before = directories(box)
  for (const { program, word, failure, command } of broken(repo, original.id)) {
    const failing = failingProgram(box, program, word, failure)
    const env = { ...box.inside(bystander.id), ...failing.env }
    const title = `${program} ${word} ${failure}`
    expect(box.agenc(command, { env }), title).toMatchObject({ exitCode: 1 })
    expect(failing.hasFailed(), title).toBe(true)
    expect(directories(box), title).toEqual(before)
  }
  await assertHealthy(box, {
    missions: new Map([unprompted(bystander, 'running'), expected(original, 'running')]),
  })
})

test('agenc is killed while git and cp make missions: doctor finds what is left, and removes it', async () => {
  const box = faultBox()
  const repo = box.addRepo('alpha')
  const bystander = await box.start()
  const original = await missionIn(box, 'idle', bystander.id)
  const before = directories(box)
  for (const { program, word, failure, command } of broken(repo, original.id)) {
    if (failure === 'dies after') continue
    const failing = failingProgram(box, program, word, 'hangs')
    const env = { ...box.inside(bystander.id), ...failing.env }
    await killedHalfWay(box, command, { env, when: failing.hasFailed })
  }
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
