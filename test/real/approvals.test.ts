import { expect, test } from 'vitest'
import { approvalBox } from '../helpers/approvals.ts'
import { realSessionBox } from '../helpers/real-session.ts'
import { waitFor } from '../helpers/wait.ts'

const allow = { tool: 'Bash', match: 'touch yes*', decision: 'allow' }
const deny = { tool: 'Bash', match: 'touch no*', decision: 'deny', message: 'files are made by hand here' }
const settings = (delayMs: number) => ({
  claude: { permission_mode: 'default' },
  approvals: { mode: 'rules', delay_ms: delayMs, rules: [allow, deny] },
})

test('requests of the real Claude are answered by rule, by the user during the delay, and by mission answer', {
  timeout: 90_000,
}, async ctx => {
  const real = await realSessionBox()
  if ('missing' in real) return ctx.skip(real.missing)
  const box = await approvalBox(settings(200), { box: real.box })

  await box.say('go [[bash touch yes-1]] [[bash touch no-1]] [[text first part over]]')
  await box.answered(2)
  await box.settled()
  expect([box.hasMade('yes-1'), box.hasMade('no-1')]).toEqual([true, false])
  expect(box.transcript()).toContain(deny.message)

  box.writeConfig(settings(3_000))
  await box.say('go [[bash touch yes-2]] [[text second part over]]')
  await box.asked()
  box.agencJson(['hold', box.id])
  await waitFor('the delay to end on hold', () => box.log().includes('is left to the user'))
  expect(box.hasMade('yes-2')).toBe(false)
  box.agencJson(['hold', '--release'])
  box.press('Escape')
  await box.settled()
  expect(box.hasMade('yes-2')).toBe(false)

  box.writeConfig(settings(60_000))
  await box.say('go [[bash touch yes-3]] [[text third part over]]')
  await box.asked()
  box.press('1')
  await waitFor('the file yes-3', () => box.hasMade('yes-3'))
  await box.settled()

  await box.say('go [[bash touch maybe-1]] [[bash touch maybe-2]] [[text fourth part over]]')
  await box.asked()
  expect(box.agenc(['mission', 'answer', box.id, 'deny', '--message', 'rather not'])).toMatchObject({
    exitCode: 0,
  })
  await waitFor('the next request', () => box.now().pending[0]?.id === '6')
  expect(box.agenc(['mission', 'answer', box.id, 'allow', '--mode', 'acceptEdits'])).toMatchObject({
    exitCode: 0,
  })
  const mission = await box.settled()
  expect([box.hasMade('maybe-1'), box.hasMade('maybe-2')]).toEqual([false, true])
  expect(box.transcript()).toContain('rather not')
  expect(mission).toMatchObject({ permission_mode: 'acceptEdits', permission_mode_source: 'mission' })

  expect(box.approvals().map(({ decision, by }) => [decision, by])).toEqual([
    ['allow', 'rule'],
    ['deny', 'rule'],
    ['deny', 'user'],
    ['allow', 'user'],
    ['deny', 'answer'],
    ['allow', 'answer'],
  ])
})

test('in bypass mode the real Claude obeys a deny rule, in subagents too', {
  timeout: 60_000,
}, async ctx => {
  const real = await realSessionBox()
  if ('missing' in real) return ctx.skip(real.missing)
  const config = { claude: { permission_mode: 'bypassPermissions' }, approvals: { rules: [deny] } }
  const box = await approvalBox(config, { box: real.box })
  const agent = JSON.stringify({
    description: 'd',
    subagent_type: 'general-purpose',
    prompt: 'go [[bash touch no-2]] [[bash touch yes-2]] [[text sub over]]',
  })
  const escaped = agent.replaceAll('[[', '\\u005b\\u005b').replaceAll(']]', '\\u005d\\u005d')
  await box.say(`go [[bash touch no-1]] [[bash touch yes-1]] [[tool Agent ${escaped}]] [[text over]]`)
  await waitFor('the allowed files', () => box.hasMade('yes-1') && box.hasMade('yes-2'))
  expect([box.hasMade('no-1'), box.hasMade('no-2')]).toEqual([false, false])
  expect(box.transcript()).toContain(deny.message)
  expect(box.approvals().map(({ decision, by }) => [decision, by])).toEqual([
    ['deny', 'rule'],
    ['deny', 'rule'],
  ])
})
