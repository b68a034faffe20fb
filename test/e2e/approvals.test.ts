import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listAllPending } from '../../src/db/approvals.ts'
import { openStoreForReading } from '../../src/db/open-store.ts'
import type { MissionId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import { systemProbe } from '../../src/system/process-identity.ts'
import { listTree } from '../../src/system/process-tree.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { sendControlMessage } from '../../src/wrapper/control-message.ts'
import { type ApprovalBox, approvalBox, modeOf } from '../helpers/approvals.ts'
import { temporaryDirectory } from '../helpers/cli.ts'
import { isAlive } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'

const allowTouch = { tool: 'Bash', match: 'touch *', decision: 'allow' }
const denyTouch = { tool: 'Bash', match: 'touch *', decision: 'deny', message: 'files are made by hand here' }
const rules = (...list: object[]) => ({ approvals: { mode: 'rules', delay_ms: 50, rules: list } })
const longDelayMs = 60_000
const inDelay = { approvals: { mode: 'rules', delay_ms: longDelayMs, rules: [allowTouch] } }

describe('rules', () => {
  test('allow some requests, leave the others to the user, and both are recorded', async () => {
    const box = await approvalBox(rules(allowTouch))
    await box.say('[[bash touch one]] [[bash mkfifo two]] [[text done]]')
    const waiting = await box.asked()
    expect(waiting).toMatchObject({
      waiting_for: 'permission',
      pending: [{ tool: 'Bash', input: { command: 'mkfifo two' } }],
    })
    expect(box.hasMade('one')).toBe(true)
    box.press('1')
    await box.settled()
    expect(box.hasMade('two')).toBe(true)
    expect(box.approvals(box.id)).toEqual([
      {
        at: expect.any(String),
        mission_id: box.id,
        tool: 'Bash',
        input: expect.objectContaining({ command: 'touch one' }),
        decision: 'allow',
        rule: allowTouch,
        by: 'rule',
        latency_ms: expect.any(Number),
        answer: null,
      },
      expect.objectContaining({ decision: 'allow', rule: null, by: 'user' }),
    ])
    expect(modeOf(join(box.agencHome, 'database.sqlite'))).toBe('600')
  })

  test('deny a request without asking the user, and the model gets the message', async () => {
    const box = await approvalBox({ approvals: { mode: 'ask', rules: [denyTouch] } })
    await box.say('[[bash touch one]] [[text gave up]]')
    await box.answered(1)
    await box.settled()
    expect(box.transcript()).toContain('files are made by hand here')
    expect(box.hasMade('one')).toBe(false)
    expect(box.approvals()).toMatchObject([{ decision: 'deny', by: 'rule', rule: denyTouch }])
    expect(box.screen()).toContain('gave up')
  })

  test('deny requests even in bypass mode', async () => {
    const config = { claude: { permission_mode: 'bypassPermissions' }, approvals: { rules: [denyTouch] } }
    const box = await approvalBox(config)
    await box.say('[[bash touch one]] [[bash mkdir two]] [[text done]]')
    await waitFor('the end of the turn', () => box.screen().includes('done') && box.hasMade('two'))
    expect(box.hasMade('one')).toBe(false)
    expect(box.transcript()).toContain('files are made by hand here')
  })

  test('take effect in a running mission when they change; broken settings still deny but allow nothing', async () => {
    const box = await approvalBox(rules())
    await box.say('[[bash touch one]]')
    await box.asked()
    box.press('1')
    await box.settled()
    box.writeConfig(rules(allowTouch, { ...denyTouch, match: 'touch bad*' }))
    await box.say('[[bash touch two]]')
    await box.answered(2)
    await box.settled()
    expect(box.hasMade('two')).toBe(true)
    box.writeConfig('{ "approvals": { "mode": "all", ')
    await box.say('[[bash touch bad]] [[bash touch three]]')
    await waitFor('the denial', () => box.transcript().includes('files are made by hand here'))
    await waitFor('the second request', async () => (await storedPending(box)).length === 1)
    box.writeConfig(rules(allowTouch))
    await box.asked()
    box.press('1')
    await box.settled()
    expect(box.approvals().map(({ decision, by }) => [decision, by])).toEqual([
      ['allow', 'user'],
      ['allow', 'rule'],
      ['deny', 'rule'],
      ['allow', 'user'],
    ])
  })
})

describe('during the delay', () => {
  test('the user can answer first', async () => {
    const box = await approvalBox(inDelay)
    await box.say('[[bash touch one]] [[text done]]')
    await box.asked()
    box.press('Escape')
    await box.settled()
    expect(box.hasMade('one')).toBe(false)
    expect(await box.answered(1)).toMatchObject([{ decision: 'deny', by: 'user', rule: null }])
  })

  test('hold cancels the approval, and release does not bring it back', async () => {
    const box = await approvalBox({ approvals: { mode: 'rules', delay_ms: 2000, rules: [allowTouch] } })
    await box.say('[[bash touch one]] [[text done]]')
    await box.asked()
    expect(box.agencJson(['hold'])).toMatchObject({ held: true, missions: [] })
    await waitFor('the delay to pass', () => box.log().includes('paused: request 1 '))
    expect(box.hasMade('one')).toBe(false)
    expect(box.agenc(['mission', 'show', box.id]).stdout).toMatch(/approvals +rules, .*paused/)
    expect(box.agencJson(['hold', '--release'])).toMatchObject({ held: false, since: null, missions: [] })
    expect(box.now()).toMatchObject({ state: 'waiting', pending: [{ tool: 'Bash' }] })
    box.press('1')
    await box.settled()
    box.agencJson(['hold', box.id])
    await box.say('[[bash touch two]]')
    await box.asked()
    expect(box.agencJson(['hold', '--release', box.id])).toMatchObject({ missions: [] })
  })
})

describe('mission answer', () => {
  test('allows, denies with a message, and sets a mode', async () => {
    const box = await approvalBox()
    await box.say('[[bash touch one]] [[bash touch two]] [[bash touch three]] [[text done]]')
    await box.asked()
    expect(box.agenc(['mission', 'answer', box.id, 'allow'])).toMatchObject({ exitCode: 0 })
    await waitFor('the second request', () => box.now().pending.some(({ id }) => id === '2'))
    box.agenc(['mission', 'answer', box.id, 'deny', '--message', 'not that one'])
    await waitFor('the third request', () => box.now().pending.some(({ id }) => id === '3'))
    const done = box.agenc(['mission', 'answer', box.id, 'allow', '--mode', 'acceptEdits', '--request', '3'])
    expect(done).toMatchObject({ exitCode: 0, stderr: 'Allowed: Bash touch three\n' })
    const mission = await box.settled()
    expect(['one', 'two', 'three'].map(box.hasMade)).toEqual([true, false, true])
    expect(box.transcript()).toContain('not that one')
    expect(mission).toMatchObject({ permission_mode: 'acceptEdits', permission_mode_source: 'mission' })
    expect(box.approvals().map(({ decision, by }) => [decision, by])).toEqual([
      ['allow', 'answer'],
      ['deny', 'answer'],
      ['allow', 'answer'],
    ])
    expect(box.agenc(['mission', 'answer', box.id, 'allow'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('no open request'),
    })
  })

  test('is refused and logged if its bell is not a FIFO of the mission, and no file is written to', async () => {
    const box = await approvalBox()
    await box.say('[[bash touch one]] [[text done]]')
    await box.asked()
    const paths = pathsAt(box.agencHome).mission(box.id as MissionId)
    const bell = join(temporaryDirectory(), 'precious')
    writeFileSync(bell, 'precious')
    const request = Number(box.now().pending[0]!.id)
    sendControlMessage(paths, { agenc: 'answer', request, allow: true, bell })
    await waitFor('the message to be read', () => readdirSync(paths.events).length === 0)
    expect(readFileSync(bell, 'utf8')).toBe('precious')
    expect(box.log()).toContain(`refused an answer: "${bell}" is not a FIFO of this mission`)
    expect(box.now()).toMatchObject({ state: 'waiting', pending: [{ tool: 'Bash' }] })
    expect(box.agenc(['mission', 'answer', box.id, 'allow'])).toMatchObject({ exitCode: 0 })
    await box.settled()
  })
})

test('a FIFO, a directory and a link to a device among the events do not keep a request from its answer', async () => {
  const box = await approvalBox(rules(allowTouch))
  const { events } = pathsAt(box.agencHome).mission(box.id as MissionId)
  execFileSync('mkfifo', [join(events, '1')])
  mkdirSync(join(events, '2'))
  symlinkSync('/dev/zero', join(events, '3'))
  await box.say('[[bash touch one]] [[text done]]')
  await box.settled()
  expect(box.hasMade('one')).toBe(true)
  expect(readdirSync(events)).toEqual([])
  expect(box.log()).toMatch(/dropped .* and 2 more: not a regular file of this user/)
})

test('a request that a rule is about to allow does not run the notify command', async () => {
  const calls = join(temporaryDirectory(), 'calls')
  const command = ['sh', '-c', `echo "$AGENC_MISSION_STATE" >>'${calls}'`]
  const box = await approvalBox({ ...rules(allowTouch), notify: { command } })
  await box.say('[[bash touch one]] [[bash mkfifo two]] [[text done]]')
  await box.asked()
  await waitFor('the notify command to run', () => existsSync(calls))
  expect(box.approvals()).toMatchObject([{ by: 'rule' }, { by: null }])
  expect(readFileSync(calls, 'utf8')).toBe('waiting\n')
})

test('a subagent’s request is allowed by rule without a delay, or opens its dialog at once', async () => {
  const box = await approvalBox({ approvals: { mode: 'rules', delay_ms: longDelayMs, rules: [allowTouch] } })
  const agent = (prompt: string) => {
    const input = JSON.stringify({ description: 'd', subagent_type: 'general-purpose', prompt })
    return `[[tool Agent ${input.replaceAll('[[', '\\u005b\\u005b').replaceAll(']]', '\\u005d\\u005d')}]]`
  }
  await box.say(agent('[[bash touch one]] [[text ok]]'))
  await waitFor('the file one', () => box.hasMade('one'))
  await box.say(agent('[[bash mkfifo two]] [[text ok]]'))
  await box.asked()
  expect(box.agenc(['mission', 'answer', box.id, 'allow'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('in its window'),
  })
  box.press('1')
  await waitFor('the file two', () => box.hasMade('two'))
  expect(await box.answered(2)).toMatchObject([
    { decision: 'allow', by: 'rule' },
    { decision: 'allow', by: 'user' },
  ])
})

test('a reply that looks like a permission dialog has no effect', async () => {
  const box = await approvalBox({ approvals: { mode: 'all', delay_ms: 0 } })
  const dialog = [
    'Bash command',
    'rm -rf /',
    'Do you want to proceed?',
    '❯ 1. Yes',
    '  2. No',
    'Esc to cancel',
  ]
  await box.say(`[[text ${dialog.join(' ')}]] [[text END]]`)
  await waitFor('the text of the dialog', () => box.screen().includes('Do you want to proceed?'))
  const mission = await box.settled()
  expect(mission).toMatchObject({ state: 'idle', waiting_for: null, pending: [] })
  expect(box.approvals()).toEqual([])
})

test('when the wrapper is killed, its hooks and Claude end', async () => {
  const box = await approvalBox(inDelay)
  await box.say('[[bash touch one]]')
  const { wrapper_pid, claude_pid } = await box.asked()
  const [, ...hooks] = listTree(systemRunner, systemProbe(systemRunner), claude_pid!).map(({ pid }) => pid)
  expect(hooks.length).toBeGreaterThan(0)
  process.kill(wrapper_pid!, 'SIGKILL')
  await waitFor('hook and Claude to end', () => ![...hooks, claude_pid!].some(isAlive))
  expect(box.hasMade('one')).toBe(false)
  expect(box.now()).toMatchObject({ status: 'crashed', pending: [] })
  expect(box.approvals()).toMatchObject([{ decision: 'ask', by: 'timeout' }])
  await waitFor('the request to be closed in the store', async () => (await storedPending(box)).length === 0)
})

test('a request that is open when the mission stops is recorded as unanswered', async () => {
  const box = await approvalBox()
  await box.say('[[bash touch one]]')
  await box.asked()
  expect(box.agenc(['mission', 'stop', box.id])).toMatchObject({ exitCode: 0 })
  expect(box.approvals()).toMatchObject([{ decision: 'ask', by: 'timeout' }])
})

/** Open requests, read from the store, because no command works with broken settings. */
async function storedPending({ agencHome, id }: ApprovalBox) {
  const db = (await openStoreForReading(join(agencHome, 'database.sqlite')))!
  try {
    return listAllPending(db).get(id as MissionId) ?? []
  } finally {
    db.close()
  }
}
