import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { promptsIn } from '../helpers/headless.ts'
import { countTo, type LoopBox, loopBox } from '../helpers/loops.ts'
import { isAlive, untilGone } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'

async function killRunner(box: LoopBox, id: string): Promise<void> {
  const { runner_pid } = box.show(id)
  process.kill(runner_pid!, 'SIGKILL')
  await untilGone(runner_pid)
  expect(box.show(id)).toMatchObject({ status: 'crashed', runner_pid: null })
}

function goOn(box: LoopBox, id: string): void {
  expect(box.agenc(['loop', 'continue', id])).toMatchObject({ exitCode: 0, stderr: '' })
}

test('a killed runner loses and doubles nothing while Claude works', async () => {
  const box = loopBox()
  const mission = await box.blank()
  const id = box.start(mission, 'Work. [[delay 2500]] [[write made|]]', 'test -e made')
  await box.until(mission, 'busy')
  const followed = box.agencAsync(['loop', 'log', id, '--follow'])
  await waitFor('the follower', () => readdirSync(join(box.agencHome, 'followers')).length > 1)
  await killRunner(box, id)
  expect(await followed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('round 1') })
  const { claude_pid } = box.record(mission)
  goOn(box, id)
  expect(box.agenc(['loop', 'continue', id]).stderr).toContain('is already running')
  expect(await box.untilStatus(id, 'succeeded')).toMatchObject({ rounds: [{ n: 1, ended_by: 'turn' }] })
  expect(promptsIn(box, mission).length).toBe(1)
  expect(isAlive(claude_pid!)).toBe(false)
})

test('the check of a killed runner is ended before the next one starts', async () => {
  const box = loopBox()
  const mission = await box.blank()
  const agent = join(box.agencHome, 'missions', mission, 'agent')
  const until = 'test -e go || { echo $$ >> pids; exec sleep 1000; }'
  const id = box.start(mission, 'Work. [[text Done.]]', until, '--force')
  const pids = () => readFileSync(join(agent, 'pids'), 'utf8').split('\n').filter(Boolean).map(Number)
  const [first] = await waitFor('the check', pids)
  await killRunner(box, id)
  expect(isAlive(first!)).toBe(true)
  goOn(box, id)
  const [, second] = await waitFor('the second check', () => pids().length === 2 && pids())
  expect(isAlive(first!)).toBe(false)
  // A loop without a runner can be stopped too.
  await killRunner(box, id)
  expect(box.agencJson(['loop', 'stop', id])).toMatchObject({ status: 'stopped' })
  expect(isAlive(second!)).toBe(false)
  expect(box.record(mission).wrapper_pid).toBeNull()
  writeFileSync(join(agent, 'go'), '')
  goOn(box, id)
  expect(await box.untilStatus(id, 'succeeded')).toMatchObject({ round: 1 })
  expect(promptsIn(box, mission).length).toBe(1)
})

test('two runners never have one loop', async () => {
  const box = loopBox()
  const mission = await box.blank()
  const id = box.start(mission, 'Work. [[hang]]', 'false')
  await box.until(mission, 'busy')
  await killRunner(box, id)
  const answers = await Promise.all([1, 2, 3].map(() => box.agencAsync(['loop', 'continue', id])))
  expect(answers.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1, 1])
  expect(box.agenc(['loop', '_run', id])).toMatchObject({ exitCode: 1 })
  expect(box.agenc(['loop', 'stop', id]).exitCode).toBe(0)
})

test('a loop whose runner and mission are killed again and again never gives a prompt twice', async () => {
  const box = loopBox()
  const mission = await box.blank()
  const id = box.start(mission, 'Go on.', countTo(12))
  let killedClaudes = 0
  for (let kill = 0; kill < 8; kill++) {
    await pause(Math.random() * 700)
    const { status, runner_pid } = box.show(id)
    if (status !== 'running') break
    const { wrapper_pid, claude_pid } = box.record(mission)
    // Like a reboot, or only the runner.
    const victims = kill % 3 === 2 ? [runner_pid, wrapper_pid, claude_pid] : [runner_pid]
    if (victims.length > 1) killedClaudes++
    for (const pid of victims) if (pid !== null && isAlive(pid)) process.kill(pid, 'SIGKILL')
    await untilGone(runner_pid)
    if (box.show(id).status === 'crashed') goOn(box, id)
  }
  const loop = await box.untilStatus(id, 'succeeded')
  const prompts = promptsIn(box, mission)
  expect(new Set(prompts.slice(1)).size).toBe(prompts.length - 1)
  expect(prompts.length).toBeLessThanOrEqual(loop.round)
  // A Claude that is killed between its report of a prompt and its transcript takes the prompt with it.
  expect(prompts.length).toBeGreaterThanOrEqual(loop.round - killedClaudes)
}, 60_000)
