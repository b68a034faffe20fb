import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reportingHook } from '../../src/claude/hook-scripts.ts'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { MissionPaths } from '../../src/paths.ts'
import { untilGone } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'
import { answer, say, type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

const esc = '\u001b'
const shiftTab = '\u001b[Z'

const states = (box: WrapperBox, id: string) =>
  box
    .history(id)
    .filter(({ kind }) => kind === 'state')
    .map(({ data }) => [data.state, data.waiting_for].filter(Boolean).join(':'))

const kinds = (box: WrapperBox, id: string, kind: string) =>
  box
    .history(id)
    .filter(entry => entry.kind === kind)
    .map(({ data }) => data)

describe('the state', () => {
  test('goes from idle to busy to waiting and back, in the store and in the history', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission('--permission-mode', 'default')
    await say(terminal, 'Go. [[bash touch made]] [[text All done.]]')
    const waiting = await box.until(id, 'waiting:permission')
    expect(waiting.waiting_since).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    expect(box.agencJson<MissionJson>(['mission', 'show', id])).toMatchObject({
      status: 'running',
      state: 'waiting',
      waiting_for: 'permission',
    })
    await answer(box, id, terminal, '1')
    await terminal.waitForText('All done.')
    await box.ready(id)
    expect(box.record(id).waiting_since).toBeNull()
    expect(states(box, id)).toEqual(['idle', 'busy', 'waiting:permission', 'busy', 'idle'])
    expect(existsSync(join(box.agencHome, 'missions', id, 'agent', 'made'))).toBe(true)
  })

  test('is idle after Esc during a turn and at a dialog', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission('--permission-mode', 'default')
    await say(terminal, 'Think. [[text Hm.]]+[[hang]]')
    await box.until(id, 'busy')
    await terminal.waitForText('Hm.')
    terminal.type(esc)
    await box.ready(id)
    await say(terminal, 'Go. [[bash touch made]]')
    await box.until(id, 'waiting:permission')
    await answer(box, id, terminal, esc)
    await box.ready(id)
  })

  test('tells questions and plans apart; each is recorded once, and the plan is linked', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission('--permission-mode', 'plan')
    const question =
      '{"questions":[{"question":"Tea or coffee?","header":"H","options":[{"label":"Tea","description":"t"},{"label":"Coffee","description":"c"}],"multiSelect":false}]}'
    await say(terminal, `Ask. [[tool AskUserQuestion ${question}]] [[text Thanks.]]`)
    await box.until(id, 'waiting:question')
    await answer(box, id, terminal, '1')
    await box.ready(id)
    await say(terminal, 'Plan. [[plan # A plan]] [[tool ExitPlanMode]] [[text Planned.]]')
    await box.until(id, 'waiting:plan')
    await answer(box, id, terminal, esc)
    await box.ready(id)
    expect(kinds(box, id, 'question')).toEqual([{ text: 'Tea or coffee?' }])
    const plans = box.agencJson<MissionJson>(['mission', 'show', id]).plans
    expect(plans).toHaveLength(1)
    expect(plans[0]).toContain(join(box.claudeHome, 'plans'))
    expect(kinds(box, id, 'plan')).toHaveLength(1)
  })

  test('is idle with a background task while a command runs in the background', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission('--permission-mode', 'default')
    const input = JSON.stringify({
      command: 'while [ ! -e go-on ]; do sleep 0.1; done',
      run_in_background: true,
    })
    await say(terminal, `Serve. [[tool Bash ${input}]] [[text Started.]]`)
    await box.until(id, 'waiting:permission')
    await answer(box, id, terminal, '1')
    await waitFor(
      'an idle mission with a background task',
      () => box.record(id).background === 1 && box.record(id).state === 'idle',
    )
    expect(box.agenc(['mission', 'ls']).stdout).toContain('idle +bg')
    writeFileSync(join(box.agencHome, 'missions', id, 'agent', 'go-on'), '')
    await waitFor(
      'the end of the background task',
      () => box.record(id).background === 0 && box.record(id).state === 'idle',
    )
  })

  test('is waiting while a subagent asks, and idle only when everything has ended', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission('--permission-mode', 'default')
    const prompt =
      'Work. \\u005b\\u005bwrite sub.txt|x\\u005d\\u005d \\u005b\\u005btext Sub done.\\u005d\\u005d'
    const input = `{"description":"look","subagent_type":"general-purpose","prompt":"${prompt}"}`
    await say(terminal, `Ask. [[tool Agent ${input}]] [[text Launched.]]`)
    await box.until(id, 'waiting:permission')
    await answer(box, id, terminal, '1')
    await terminal.waitForText('Launched.')
    await waitFor('the mission to be idle', () => states(box, id).at(-1) === 'idle')
    expect(states(box, id).filter(state => state === 'waiting:permission')).toHaveLength(1)
  })
})

describe('after kill -9 of the wrapper', () => {
  test('the effects of /clear, /rename and Shift+Tab are in the store and used by resume', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission('--permission-mode', 'default', '--name', 'one')
    await say(terminal, 'Hello. [[text Hello to you.]]')
    await waitFor('the conversation to begin', () => box.record(id).session_begun === 1)
    await box.ready(id)
    await say(terminal, '/clear')
    await waitFor('another session', () => box.record(id).session_id !== id)
    await box.ready(id)
    await say(terminal, '/rename two')
    await waitFor('the new name', () => box.record(id).name === 'two')
    terminal.type(shiftTab)
    await terminal.waitForText('accept edits on')
    await say(terminal, 'Again. [[text Yes, again.]]')
    await waitFor('the new mode', () => box.record(id).permission_mode === 'acceptEdits')
    await waitFor('the new conversation to begin', () => box.record(id).session_begun === 1)
    const before = box.record(id)
    process.kill(before.wrapper_pid!, 'SIGKILL')
    await untilGone(before.wrapper_pid, before.claude_pid)
    const { session_id, name, permission_mode, transcript_path } = before
    expect(box.record(id)).toMatchObject({ session_id, name, permission_mode, transcript_path })
    expect(transcript_path).toContain(session_id)

    const resumed = box.run(['mission', 'resume', id])
    await resumed.waitForText('Yes, again.')
    expect(resumed.screen()).toContain('accept edits on')
    expect(resumed.screen()).not.toContain('Hello to you.')
    await box.ready(id)
    expect(kinds(box, id, 'renamed')).toEqual([{ name: 'two' }])
  })

  test('the next wrapper reads the events left in the spool, once', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission('--permission-mode', 'default')
    await say(terminal, 'Hello. [[text Hello to you.]]')
    await waitFor('the conversation to begin', () => box.record(id).session_begun === 1)
    const { wrapper_pid, claude_pid } = box.record(id)
    process.kill(wrapper_pid!, 'SIGKILL')
    await untilGone(wrapper_pid, claude_pid)
    const paths = new MissionPaths(join(box.agencHome, 'missions', id))
    const event = { hook_event_name: 'UserPromptSubmit', session_id: id, permission_mode: 'plan' }
    const hook = spawnSync('/bin/sh', ['-c', reportingHook(paths)], { input: `${JSON.stringify(event)}\n` })
    expect(hook.status).toBe(0)
    spawnSync('/bin/sh', ['-c', reportingHook(paths)], { input: 'rubbish' })
    const resumed = box.run(['mission', 'resume', id])
    await resumed.waitForText('plan mode on')
    await box.ready(id)
    expect(kinds(box, id, 'permission_mode')).toEqual([{ mode: 'plan' }])
  })
})

test('mission rename is not undone by the name that a running Claude has', async () => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission('--name', 'one')
  expect(box.agenc(['mission', 'rename', id, 'three']).exitCode).toBe(0)
  await say(terminal, 'Hello. [[text Hello to you.]]')
  await terminal.waitForText('Hello to you.')
  await box.ready(id)
  expect(box.record(id).name).toBe('three')
  await say(terminal, '/exit')
  await terminal.exited
  const resumed = box.run(['mission', 'resume', id])
  await resumed.waitForText('three')
  await box.ready(id)
  expect(box.record(id).name).toBe('three')
})
