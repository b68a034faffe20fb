import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { approvalBox } from '../helpers/approvals.ts'
import { tryKill } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'
import { press, say, type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

const denyTouch = { tool: 'Bash', match: 'touch *', decision: 'deny', message: 'files are made by hand here' }
const bypass = { claude: { permission_mode: 'bypassPermissions' } }
const bypassWith = (...rules: object[]) => ({ ...bypass, approvals: { rules } })

test('a deny rule that comes while a mission runs holds from then on, and goes when it goes', async () => {
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
  await waitFor('the file', () => box.hasMade('three'))
  await box.settled()
})

test('what only the shell will know is asked about where a rule may deny it, and nothing else is', async () => {
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

test('settings that cannot be read and may deny something: what was denied is, the rest is asked about', async () => {
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

/** In a terminal of its own: tmux wakes what is stopped in a window. */
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

function stopWrapper(box: WrapperBox, id: string): () => void {
  const { wrapper_pid } = box.record(id)
  tryKill(wrapper_pid!, 'SIGSTOP')
  const goOn = () => tryKill(wrapper_pid!, 'SIGCONT')
  onTestFinished(goOn)
  return goOn
}

test('a wrapper that hangs: the user is asked, not passed over', async () => {
  const { box, id, terminal, made } = await bypassingMission([denyTouch])
  const goOn = stopWrapper(box, id)
  await say(terminal, 'go [[bash touch one]] [[text over]]')
  await terminal.waitForText('agenc could not compare this')
  expect(made('one')).toBe(false)
  goOn()
  await waitFor('the denial', () => box.agencJson<unknown[]>(['approvals', 'ls']).length > 0)
  expect(made('one')).toBe(false)
})

test('a wrapper that hangs, with nothing to deny: nobody is asked', async () => {
  const { box, id, terminal, made } = await bypassingMission([])
  stopWrapper(box, id)
  await say(terminal, 'go [[bash touch one]] [[text all over]]')
  await waitFor('the file', () => made('one'))
})

test('a spool that cannot be used: the user is asked', async () => {
  const { box, id, terminal, made } = await bypassingMission([denyTouch])
  rmSync(join(box.agencHome, 'missions', id, 'run', 'ev'), { recursive: true })
  writeFileSync(join(box.agencHome, 'missions', id, 'run', 'ev'), '')
  await say(terminal, 'go [[bash mkdir one]] [[text over]]')
  await terminal.waitForText('agenc could not compare this')
  expect(made('one')).toBe(false)
  await press(terminal, '1', () => made('one'))
})
