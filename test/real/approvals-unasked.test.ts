import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ApprovalJson } from '../../src/commands/approvals/ls.ts'
import { checkAnswerRace } from '../helpers/answer-race.ts'
import { approvalBox } from '../helpers/approvals.ts'
import { tryKill } from '../helpers/processes.ts'
import { realSessionBox, realWrapperBox } from '../helpers/real-session.ts'
import { waitFor } from '../helpers/wait.ts'
import { press, say } from '../helpers/wrapper-box.ts'

const deny = { tool: 'Bash', match: 'touch no*', decision: 'deny', message: 'files are made by hand here' }
const bypass = { claude: { permission_mode: 'bypassPermissions' } }
const bypassWith = (...rules: object[]) => ({ ...bypass, approvals: { rules } })

test('in bypass mode the real Claude obeys a deny rule added later, and asks about commands only the shell can resolve', {
  timeout: 90_000,
}, async ctx => {
  const real = await realSessionBox()
  if ('missing' in real) return ctx.skip(real.missing)
  const box = await approvalBox(bypass, { box: real.box })
  await box.say('go [[bash touch no-1]] [[text first part over]]')
  await waitFor('the file no-1', () => box.hasMade('no-1'))
  await box.settled()

  box.writeConfig(bypassWith(deny))
  await box.say('go [[bash touch no-2]] [[bash touch yes-2]] [[text second part over]]')
  await waitFor('the allowed file', () => box.hasMade('yes-2'))
  await box.settled()
  expect(box.hasMade('no-2')).toBe(false)
  expect(box.transcript()).toContain(deny.message)

  await box.say('go [[bash mkdir "$(echo made)"]] [[bash "$(echo touch)" no-3]] [[text third part over]]')
  expect(await box.asked()).toMatchObject({ waiting_for: 'permission', pending: [{ tool: 'Bash' }] })
  expect([box.hasMade('made'), box.hasMade('no-3')]).toEqual([true, false])
  box.press('1')
  await waitFor('the file that the user allowed', () => box.hasMade('no-3'))
  await box.settled()
  expect(box.approvals().map(({ decision, by }) => [decision, by])).toEqual([
    ['deny', 'rule'],
    ['allow', 'user'],
  ])
})

test('in bypass mode the real Claude asks the user if the wrapper hangs', {
  timeout: 60_000,
}, async ctx => {
  const real = await realWrapperBox()
  if ('missing' in real) return ctx.skip(real.missing)
  const { box } = real
  box.env.IS_SANDBOX = '1'
  box.agenc(['config', 'set', 'stop.grace_ms', '5000'])
  writeFileSync(join(box.agencHome, 'config.json'), JSON.stringify(bypassWith(deny)), { mode: 0o600 })
  const { id, terminal } = await box.mission()
  const made = (name: string) => existsSync(join(box.agencHome, 'missions', id, 'agent', name))
  const { wrapper_pid } = box.record(id)
  onTestFinished(() => tryKill(wrapper_pid!, 'SIGCONT'))
  tryKill(wrapper_pid!, 'SIGSTOP')
  await say(terminal, 'go [[bash touch no-1]] [[bash touch yes-1]] [[text over]]')
  await terminal.waitForText('agenc could not check this')
  expect(made('no-1')).toBe(false)
  tryKill(wrapper_pid!, 'SIGCONT')
  await waitFor('the recorded request', () => {
    const [first] = box.agencJson<ApprovalJson[]>(['approvals', 'ls'])
    return first !== undefined
  })
  await press(terminal, '\u001b', () => box.record(id).state === 'idle')
  expect(made('no-1')).toBe(false)
})

test('with the real Claude the record says who answered, even if both the user and a rule did', {
  timeout: 60_000,
}, async ctx => {
  const real = await realWrapperBox()
  if ('missing' in real) return ctx.skip(real.missing)
  await checkAnswerRace(real.box)
})
