import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assertHealthy, assertTruthful, type Expected } from '../faults/assert-healthy.ts'
import { type ObservedBox, observedBox } from '../faults/fault-box.ts'
import { say } from '../faults/faulty-mission.ts'
import { processesOf } from '../faults/mission-processes.ts'
import { isAlive } from '../helpers/processes.ts'
import { realSessionBox } from '../helpers/real-session.ts'
import { waitFor } from '../helpers/wait.ts'

const toolPrompt = (marker: string) =>
  `Use a tool. [[bash : >${marker}; while :; do sleep 1; done]] [[text the tool is over]]`

async function untilInTool(box: ObservedBox, id: string, marker: string): Promise<void> {
  await waitFor(`the tool ${marker}`, () => existsSync(join(box.paths(id).agent, marker))).catch(error => {
    throw new Error(`${error.message}\n${box.screen(box.windowOf(id)!.id)}`)
  })
}

test('Claude, its wrapper and tmux are killed with -9 during a tool: the conversation goes on, each prompt once', {
  timeout: 300_000,
}, async context => {
  const real = await realSessionBox()
  if ('missing' in real) return context.skip(real.missing)
  const box = observedBox(real.box)
  const bystander = await box.start()
  const prompts = [toolPrompt('tool-1')]
  const wishes = ['--permission-mode', 'allowedTools', '--prompt', prompts[0]!]
  const id = await box.newMission(bystander.id, ...wishes)
  const { session_id: sessionId } = box.record(id)
  const expectations = (status: Expected['status'], other: Expected['status'] = 'running') => ({
    missions: new Map<string, Expected>([
      [id, { status, sessionId, prompts }],
      [bystander.mission, { status: other, sessionId: bystander.mission, prompts: [] }],
    ]),
  })
  const next = async (prompt: string) => {
    const { mission } = box.windowOf(id)!
    expect(box.record(mission).session_id).toBe(sessionId)
    prompts.push(prompt)
    await say(box, box.windowOf(id)!.id, prompt)
  }

  await untilInTool(box, id, 'tool-1')
  process.kill(box.record(id).claude_pid!, 'SIGKILL')
  await waitFor('the explanation', () => box.openWindows().some(({ mission }) => mission === ''))
  await assertTruthful(box, { ...expectations('crashed'), explanations: 1 })
  box.tmux('send-keys', '-t', box.openWindows().find(({ mission }) => mission === '')!.id, 'Enter')
  expect(box.agenc(['tmux', 'restore'])).toMatchObject({ exitCode: 0 })
  await box.until(id, 'idle')
  await next('After Claude. [[text still the same conversation]]')
  await waitFor('the answer', () =>
    box.screen(box.windowOf(id)!.id).includes('● still the same conversation'),
  )
  await box.until(id, 'idle')

  await next(toolPrompt('tool-2'))
  await untilInTool(box, id, 'tool-2')
  process.kill(box.record(id).wrapper_pid!, 'SIGKILL')
  await assertTruthful(box, expectations('crashed'))
  const resumed = box.agenc(['mission', 'resume', id, '--no-focus'], { env: box.inside(bystander.id) })
  expect(resumed).toMatchObject({ exitCode: 0 })
  await box.until(id, 'idle')

  await next(toolPrompt('tool-3'))
  await untilInTool(box, id, 'tool-3')
  const processes = processesOf(id)
  process.kill(box.serverPid(), 'SIGKILL')
  await waitFor('all processes to end', () => !processes.some(isAlive))
  await assertHealthy(box, expectations('crashed', 'crashed'))
})
