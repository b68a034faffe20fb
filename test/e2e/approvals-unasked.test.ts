import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ApprovalJson } from '../../src/commands/approvals/ls.ts'
import { approvalBox } from '../helpers/approvals.ts'
import { tryKill } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'
import { press, say, type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

const denyTouch = { tool: 'Bash', match: 'touch *', decision: 'deny', message: 'files are made by hand here' }
const bypass = { claude: { permission_mode: 'bypassPermissions' } }
const bypassWith = (...rules: object[]) => ({ ...bypass, approvals: { rules } })

test('a deny rule applies to a running mission as soon as it is added, until it is removed', async () => {
  const box = await approvalBox(bypass)
  await box.say('[[bash touch one]] [[text first part over]]')
  await box.settled()
  expect(box.hasMade('one')).toBe(true)
  box.writeConfig(bypassWith(denyTouch))
  await box.say('[[bash touch two]] [[text second part over]]')
  await box.answered(1)
  await box.settled()
  expect(box.hasMade('two')).toBe(false)
  expect(box.transcript()).toContain('files are made by hand here')
  box.writeConfig(bypass)
  await box.say('[[bash touch three]] [[text third part over]]')
  await waitFor('the file three', () => box.hasMade('three'))
  await box.settled()
})

test('Claude asks about a command only if a rule may deny what the shell makes of it', async () => {
  const box = await approvalBox(bypassWith(denyTouch))
  await box.say('[[bash mkdir "$(echo made)"]] [[bash "$(echo touch)" one]] [[bash touch two]] [[text over]]')
  expect(await box.asked()).toMatchObject({
    waiting_for: 'permission',
    pending: [{ input: { command: '"$(echo touch)" one' } }],
  })
  expect([box.hasMade('made'), box.hasMade('one')]).toEqual([true, false])
  expect(box.screen()).toContain('match rule 1: Bash')
  box.press('1')
  await box.answered(2)
  await box.settled()
  expect([box.hasMade('one'), box.hasMade('two')]).toEqual([true, false])
  expect(box.approvals().map(({ decision, by }) => [decision, by])).toEqual([
    ['allow', 'user'],
    ['deny', 'rule'],
  ])
})

test('with unreadable settings the known deny rules still apply, and Claude asks about the rest', async () => {
  const box = await approvalBox(bypassWith(denyTouch))
  box.writeConfig('{ "approvals": { "rules": [{ "tool": "Bash", "match": "mkdir *", "decision": "deny" }')
  await box.say('[[bash touch one]] [[bash mkdir two]] [[text over]]')
  await waitFor('a dialog', () => /❯ 1\. /.test(box.screen()))
  expect(box.screen()).toContain('the settings cannot be read')
  expect(box.transcript()).toContain('files are made by hand here')
  box.writeConfig(bypassWith(denyTouch))
  await box.asked()
  box.press('Escape')
  await box.settled()
  expect([box.hasMade('one'), box.hasMade('two')]).toEqual([false, false])
})

/** A mission in bypass mode, in a terminal without tmux, which would continue a suspended wrapper. */
async function bypassingMission(rules: object[]) {
  const box = wrapperBox()
  box.env.IS_SANDBOX = '1'
  writeFileSync(join(box.claudeHome, 'settings.json'), '{"skipDangerousModePermissionPrompt":true}')
  box.agenc(['config', 'set', 'stop.grace_ms', '5000'])
  writeFileSync(join(box.agencHome, 'config.json'), JSON.stringify(bypassWith(...rules)), { mode: 0o600 })
  const { id, terminal } = await box.mission()
  const made = (name: string) => existsSync(join(box.agencHome, 'missions', id, 'agent', name))
  return { box, id, terminal, made }
}

/** Returns a function that continues the wrapper. */
function suspendWrapper(box: WrapperBox, id: string): () => void {
  const { wrapper_pid } = box.record(id)
  tryKill(wrapper_pid!, 'SIGSTOP')
  const continueWrapper = () => tryKill(wrapper_pid!, 'SIGCONT')
  onTestFinished(continueWrapper)
  return continueWrapper
}

test('Claude asks the user if the wrapper hangs', async () => {
  const { box, id, terminal, made } = await bypassingMission([denyTouch])
  const continueWrapper = suspendWrapper(box, id)
  await say(terminal, 'go [[bash touch one]] [[text over]]')
  await terminal.waitForText('agenc could not check this')
  expect(made('one')).toBe(false)
  continueWrapper()
  const [denied] = await waitFor('the denial', () => {
    const rows = box.agencJson<ApprovalJson[]>(['approvals', 'ls'])
    return rows.some(({ by }) => by !== null) && rows
  })
  expect(denied).toMatchObject({ decision: 'deny', by: 'rule' })
  expect(made('one')).toBe(false)
})

test('Claude asks the user if the wrapper hangs, even without deny rules', async () => {
  const { box, id, terminal, made } = await bypassingMission([])
  suspendWrapper(box, id)
  await say(terminal, 'go [[bash touch one]] [[text all over]]')
  await terminal.waitForText('agenc could not check this')
  expect(made('one')).toBe(false)
})

test('Claude asks the user if the spool cannot be written to', async () => {
  const { box, id, terminal, made } = await bypassingMission([denyTouch])
  rmSync(join(box.agencHome, 'missions', id, 'run', 'ev'), { recursive: true })
  writeFileSync(join(box.agencHome, 'missions', id, 'run', 'ev'), '')
  await say(terminal, 'go [[bash mkdir one]] [[text over]]')
  await terminal.waitForText('agenc could not check this')
  expect(made('one')).toBe(false)
  await press(terminal, '1', () => made('one'))
})
