import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { guardOf } from '../faults/mission-processes.ts'
import { promptsIn, shown, startHeadless, untilResult } from '../helpers/headless.ts'
import { storeMissions } from '../helpers/missions.ts'
import { send } from '../helpers/sending.ts'
import { waitFor } from '../helpers/wait.ts'
import { wrapperBox } from '../helpers/wrapper-box.ts'

test('in a terminal outside tmux only the user can type, and a text that would do harm is refused everywhere', async () => {
  const box = wrapperBox()
  const { id } = await box.mission()
  const refused = send(box, id, 'Hello.')
  expect(refused).toMatchObject({ outcome: 'not_taken', kept: false, exitCode: 1 })
  expect(refused.reason).toContain('--as agent')
  expect(send(box, id, 'Hello.', '--queue')).toMatchObject({ outcome: 'queued', kept: true })
  // No turn is about to come, so nobody waits for one.
  expect(box.agenc(['mission', 'wait', id, '--timeout', '5s']).exitCode).toBe(0)
  expect(send(box, id, 'exit')).toEqual({
    id: null,
    mission_id: id,
    outcome: 'not_taken',
    kept: false,
    reason: '"exit" would end Claude',
    answer: null,
    exitCode: 1,
  })
  for (const args of [
    [id],
    [id, 'a', '--file', 'b'],
    [id, 'a', '--timeout', '1s'],
    [id, 'a', '--as', 'nobody'],
    ['--cancel', 'x'],
  ])
    expect(box.agenc(['send', ...args]).exitCode).toBe(64)
  expect(box.agenc(['send', '--cancel', '99']).exitCode).toBe(1)
  expect(box.record(id).state).toBe('idle')
})

test('a Claude without a terminal takes messages, also while it is busy', async () => {
  const box = wrapperBox()
  const id = startHeadless(box, 'First. [[text One.]]')
  await untilResult(box, id)
  await box.until(id, 'idle')
  const file = join(box.root, 'message')
  writeFileSync(file, 'Second.\r\nline [[delay 1500]] [[text Two.]]\n')
  expect(send(box, id, '--file', file)).toMatchObject({ outcome: 'taken', kept: false, exitCode: 0 })
  const third = await box.agencAsync(['send', id, 'Third. [[text Three.]]', '--wait'])
  expect(third).toMatchObject({ exitCode: 0, stdout: 'Three.\n' })
  expect(promptsIn(box, id).map(text => text.trim())).toEqual([
    'First. [[text One.]]',
    'Second.\nline [[delay 1500]] [[text Two.]]',
    'Third. [[text Three.]]',
  ])
  const late = await box.agencAsync(['send', id, 'Fourth. [[hang]]', '--wait', '--timeout', '1s', '--json'])
  expect(late.exitCode).toBe(124)
  expect(late.stderr).toContain('agenc mission print --last')
  expect(JSON.parse(late.stdout)).toMatchObject({ outcome: 'taken', answer: null })
  expect(await box.agencAsync(['mission', 'interrupt', id])).toMatchObject({ exitCode: 0 })
  await waitFor('its rest', () => box.record(id).state === 'idle')
})

test("another agent's word reaches a Claude without a terminal, but as the user's only if it is no command and has the rights", async () => {
  const box = wrapperBox()
  box.env.IS_SANDBOX = '1'
  const [agent] = await storeMissions(box, [{ permission_mode: 'default' }])
  const by = (mission: string, text: string, ...args: string[]) =>
    JSON.parse(
      box.agenc(['send', mission, text, '--json', ...args], { env: { AGENC_MISSION_UUID: agent } }).stdout,
    )
  const wider = startHeadless(box, 'Hello. [[text Hi.]]', '--permission-mode', 'acceptEdits')
  const bypass = startHeadless(box, 'Hello. [[text Hi.]]', '--permission-mode', 'bypassPermissions')
  for (const id of [wider, bypass]) await untilResult(box, id).then(() => box.until(id, 'idle'))
  expect(by(wider, 'A report. [[text Thanks.]]', '--wait')).toMatchObject({ answer: 'Thanks.' })
  expect(by(wider, 'Do it.', '--as', 'user').reason).toContain('cannot speak as the user')
  expect(by(bypass, 'Do it.').reason).toContain('cannot speak as the user')
  // A person's message in the name of an agent.
  expect(send(box, bypass, '/compact', '--as', 'agent')).toMatchObject({
    outcome: 'not_taken',
    reason: expect.stringContaining('as a command'),
  })
  expect(promptsIn(box, bypass)).toEqual(['Hello. [[text Hi.]]'])

  box.agenc(['stop', bypass])
  box.agenc(['mission', 'set', bypass, '--permission-mode', 'default'])
  box.change('UPDATE missions SET reported_permission_mode = NULL WHERE id = ?', bypass)
  expect(by(bypass, 'Later.', '--as', 'user', '--queue')).toMatchObject({ outcome: 'queued', kept: true })
  box.agenc(['mission', 'set', bypass, '--permission-mode', 'bypassPermissions'])
  expect(box.agenc(['resume', bypass, '--headless']).exitCode).toBe(0)
  await waitFor('the message to be refused', () => shown(box, bypass).queued.length === 0)
  expect(promptsIn(box, bypass)).toEqual(['Hello. [[text Hi.]]'])
})

test('the death of wrapper and guard, which tells nobody, ends the wait for an answer and for more of the conversation', async () => {
  const box = wrapperBox()
  const id = startHeadless(box, 'First. [[text One.]]')
  await untilResult(box, id)
  const { wrapper_pid, claude_pid } = await box.until(id, 'idle')
  const following = box.agencAsync(['mission', 'print', id, '--follow'])
  const waiting = box.agencAsync(['send', id, 'Go. [[hang]]', '--wait'])
  await box.until(id, 'busy')
  const kept = box.agencAsync(['send', id, 'Next.', '--wait'])
  await waitFor('the second message', () => shown(box, id).queued.length === 1)
  await waitFor('all to listen', () => readdirSync(join(box.agencHome, 'followers')).length === 3)
  for (const pid of [guardOf(wrapper_pid!), wrapper_pid!, claude_pid!]) process.kill(pid, 'SIGKILL')
  expect(await waiting).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('before the end of the turn'),
  })
  expect(await kept).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('send --cancel') })
  expect(await following).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('One.') })
})

test('an answer cannot control the terminal that shows it', async () => {
  const box = wrapperBox()
  const evil = (word: string) => `Go. [[text ${word}\u001b]0;title\u0007\u009b2J and\n\nmore.]]`
  const start = ['mission', 'new', '--blank', '--headless', '--permission-mode', 'manual', '--wait']
  const first = box.run([...start, '--prompt', evil('First')])
  expect(await first.exited).toBe(0)
  const [mission] = box.records()
  const second = box.run(['send', mission!.id, '--wait', 'Say it. [[text Second\u2028more.]]'])
  expect(await second.exited).toBe(0)
  for (const [terminal, words] of [
    [first, /First +2J and\r\n\r\nmore\./],
    [second, /Secondmore\./],
  ] as const) {
    expect(terminal.raw()).toMatch(words)
    expect(terminal.raw()).not.toMatch(/[\u0007\u009b\u2028]/)
  }
})

test('a kept message is taken in the store only once its turn has begun there, so that nobody sees an idle mission before', async () => {
  const box = wrapperBox()
  const id = startHeadless(box, 'Hello. [[text Old.]]')
  await untilResult(box, id)
  for (const answer of ['One.', 'Two.', 'Three.', 'Four.']) {
    box.agenc(['stop', id])
    send(box, id, '--queue', `Later. [[delay 200]] [[text ${answer}]]`)
    box.agenc(['resume', id, '--headless'])
    const [waited] = box.agencJson<{ last_message: string }[]>(['mission', 'wait', id])
    expect(waited!.last_message).toBe(answer)
  }
  const words = box.history(id).map(({ kind, data }) => String(data.state ?? data.status ?? kind))
  const runs = words.join(' ').split('started').slice(2)
  for (const run of runs) expect(run).toMatch(/busy.* taken/)
})
