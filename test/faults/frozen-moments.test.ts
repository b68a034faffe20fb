import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tryKill, untilGone } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'
import { assertHealthy, untilStatuses } from './assert-healthy.ts'
import { type FaultBox, faultBox } from './fault-box.ts'
import { expected, unprompted } from './faulty-mission.ts'
import { freeze } from './injectors/frozen-process.ts'
import { guardOf, processesOf } from './mission-processes.ts'
import { missionIn, missionInTerminal, type Subject, untilAnswered } from './mission-states.ts'

function killBoth({ claudePid, wrapperPid }: Subject): Promise<true> {
  for (const pid of [wrapperPid, claudePid!]) tryKill(pid, 'SIGKILL')
  return untilGone(wrapperPid, claudePid)
}

test('while wrappers stand still, Claude takes a prompt or an answer; then they are killed', async () => {
  const box = faultBox()
  const bystander = await box.start()
  const starting = await missionInTerminal(box, 'starting')
  const waiting = await missionInTerminal(box, 'waiting')
  for (const { wrapperPid } of [starting, waiting]) await freeze(wrapperPid)
  box.kinds.go()
  await waitFor('the prompt', () => box.promptsOf(starting.id).length === 1)
  await waitFor('the tool to run', () => {
    waiting.terminal.type('1')
    return existsSync(join(box.paths(waiting.id).agent, 'made'))
  })
  await killBoth(starting)
  process.kill(waiting.wrapperPid, 'SIGKILL')
  await assertHealthy(box, {
    missions: new Map([
      unprompted(bystander, 'running'),
      expected(starting, 'crashed'),
      expected(waiting, 'crashed'),
    ]),
  })
})

test('while tmux stands still, a wrapper is killed and another is told to end', async () => {
  const box = faultBox()
  const bystander = await box.start()
  const killed = await missionIn(box, 'waiting', bystander.id)
  const ended = await missionIn(box, 'busy', bystander.id)
  const thaw = await freeze(box.serverPid())
  process.kill(killed.wrapperPid, 'SIGKILL')
  process.kill(ended.wrapperPid, 'SIGTERM')
  const missions = new Map([
    unprompted(bystander, 'running'),
    expected(killed, 'crashed'),
    expected(ended, 'stopped'),
  ])
  await untilStatuses(box, { missions })
  thaw()
  await waitFor('tmux to close one of the windows', () => box.openWindows().length === 2)
  await assertHealthy(box, { missions, explanations: 1 })
})

test('Claude stands still, and its mission is stopped', async () => {
  const box = faultBox()
  const bystander = await box.start()
  const busy = await missionIn(box, 'busy', bystander.id)
  await freeze(busy.claudePid!)
  expect(box.agenc(['mission', 'stop', busy.id])).toMatchObject({ exitCode: 0 })
  await assertHealthy(box, {
    missions: new Map([unprompted(bystander, 'running'), expected(busy, 'stopped')]),
  })
})

test('the user types while Claude stands still, then it is killed: the window still says so', async () => {
  const box = faultBox()
  const bystander = await box.start()
  const idle = await missionIn(box, 'idle', bystander.id)
  await freeze(idle.claudePid!)
  box.tmux('send-keys', '-t', idle.window, 'some words', 'Enter', 'more words')
  process.kill(idle.claudePid!, 'SIGKILL')
  await waitFor('the explanation', () => box.screen(idle.window).includes('q: close'))
  await assertHealthy(box, {
    missions: new Map([unprompted(bystander, 'running'), expected(idle, 'crashed')]),
    explanations: 1,
  })
})

function leftoversIn(box: FaultBox): string[] {
  const findings: { check: string; message: string }[] = JSON.parse(box.agenc(['doctor', '--json']).stdout)
  return findings.filter(({ check }) => check === 'leftovers').map(({ message }) => message)
}

test('wrapper, Claude and guard are killed: doctor names the tools that run on, and restore ends them', async () => {
  const box = faultBox()
  const bystander = await box.start()
  const subject = await missionIn(box, 'in a tool', bystander.id)
  process.kill(guardOf(subject.wrapperPid), 'SIGKILL')
  await killBoth(subject)
  const tools = processesOf(subject.id)
  expect(tools).not.toEqual([])
  expect(leftoversIn(box)).toContainEqual(expect.stringMatching(/^tools of .* still running .* Claude/))
  expect(box.agenc(['tmux', 'restore'])).toMatchObject({ exitCode: 0 })
  await untilGone(...tools)
  await untilAnswered(box, subject.id)
  await assertHealthy(box, {
    missions: new Map([unprompted(bystander, 'running'), expected(subject, 'running')]),
  })
})
