import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MissionPaths } from '../../src/paths.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { outputOf, promptsIn, shown, startHeadless, untilResult } from '../helpers/headless.ts'
import { untilGone } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'
import { say, type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

const hang = 'First. [[text Half.]]+[[hang]]'
const goOn = ['--headless', '--wait', '--prompt', 'Go on. [[text Gladly.]]']

function notifyLog(box: WrapperBox): string {
  const calls = join(box.root, 'calls')
  const command = ['sh', '-c', 'echo "$AGENC_MISSION_STATE" >> "$0"', calls]
  box.agenc(['config', 'set', 'notify.command', JSON.stringify(command)])
  return calls
}

test('after kill -9 of the wrapper its Claude ends too, and the conversation goes on with each prompt once', async () => {
  const box = wrapperBox()
  const calls = notifyLog(box)
  const id = startHeadless(box, hang)
  const { wrapper_pid, claude_pid } = await box.until(id, 'busy')
  await waitFor('the prompt', () => promptsIn(box, id).length === 1)
  process.kill(wrapper_pid!, 'SIGKILL')
  await untilGone(claude_pid)
  expect(shown(box, id)).toMatchObject({ status: 'crashed', headless: true, result: null })
  await waitFor('the notification', () => readFileSync(calls, 'utf8').includes('crashed'))
  expect(box.agenc(['mission', 'resume', id, ...goOn])).toMatchObject({ exitCode: 0, stdout: 'Gladly.\n' })
  expect(promptsIn(box, id)).toEqual([hang, 'Go on. [[text Gladly.]]'])
})

test('after kill -9 of Claude the mission has crashed and says so, and --wait ends', async () => {
  const box = wrapperBox()
  const calls = notifyLog(box)
  const waiting = box.agencAsync([
    ...['mission', 'new', '--blank', '--headless', '--wait', '--permission-mode', 'manual'],
    ...['--prompt', `Ask. [[bash touch ${box.root}/made]]`],
  ])
  const { id } = await waitFor('the mission', () => box.records()[0])
  const { claude_pid } = await box.until(id, 'waiting:permission')
  process.kill(claude_pid!, 'SIGKILL')
  expect(await waiting).toMatchObject({ exitCode: 1, stdout: '' })
  expect(shown(box, id)).toMatchObject({ status: 'crashed', pending: [], result: { is_error: true } })
  await waitFor('the notification', () => readFileSync(calls, 'utf8').includes('crashed'))
  expect(box.agenc(['tmux', 'restore']).stderr).toContain('restored')
  expect(shown(box, id)).toMatchObject({ status: 'running', headless: true, tmux_window: null })
  expect(existsSync(join(box.root, 'made'))).toBe(false)
})

test('goes on in a window with its whole conversation, and back without one', async () => {
  const box = wrapperBox()
  const id = startHeadless(box, 'First. [[text One.]]')
  await untilResult(box, id)
  await box.until(id, 'idle')
  const terminal = box.run(['mission', 'resume', id])
  await terminal.waitForText('One.')
  await waitFor('the terminal', () => box.record(id).headless === 0)
  await box.ready(id)
  await say(terminal, 'Second. [[text Two.]]')
  await waitFor('the turn', () => promptsIn(box, id).length === 2)
  await box.ready(id)
  const busy = box.agenc(['mission', 'resume', id, '--headless'])
  expect(busy).toMatchObject({ exitCode: 1 })
  expect(busy.stderr).toContain('is running on a terminal')
  box.agenc(['mission', 'stop', id])
  expect(box.agenc(['mission', 'resume', id, ...goOn])).toMatchObject({ exitCode: 0, stdout: 'Gladly.\n' })
  expect(promptsIn(box, id)).toEqual([
    'First. [[text One.]]',
    'Second. [[text Two.]]',
    'Go on. [[text Gladly.]]',
  ])
  expect(shown(box, id)).toMatchObject({ headless: true, status: 'running' })
})

test('a mission at work is not moved to a window', async () => {
  const box = wrapperBox()
  const id = startHeadless(box, hang)
  const { claude_pid } = await box.until(id, 'busy')
  const terminal = box.run(['mission', 'resume', id])
  await terminal.waitForText('is at work without a terminal')
  expect(box.record(id)).toMatchObject({ claude_pid, headless: 1 })
})

test('a wrapper that was suspended reads a result together with the report that its turn began', async () => {
  const box = wrapperBox()
  const id = startHeadless(box, 'First. [[delay 700]] [[text One.]]')
  const { wrapper_pid, claude_pid, transcript_path } = await box.until(id, 'busy')
  expect(box.agenc(['send', id, 'Second. [[text Two.]]']).exitCode).toBe(0)
  process.kill(wrapper_pid!, 'SIGSTOP')
  await waitFor('the second turn', () => readFileSync(transcript_path!, 'utf8').includes('"Two."'))
  const status = join(box.claudeHome, 'sessions', `${claude_pid}.json`)
  await waitFor('its end', () => readFileSync(status, 'utf8').includes('"status":"idle"'))
  process.kill(wrapper_pid!, 'SIGCONT')
  const reports = join(box.agencHome, 'missions', id, 'run', 'ev')
  await waitFor(
    'the result, after all reports were read',
    () => readdirSync(reports).length === 0 && box.record(id).result?.includes('"Two."'),
  )
})

test('a report that a killed wrapper left unread is not about the next prompt', async () => {
  const box = wrapperBox()
  const id = startHeadless(box, 'First. [[text One.]]')
  await untilResult(box, id)
  box.agenc(['mission', 'stop', id])
  const report = { hook_event_name: 'UserPromptSubmit', session_id: id, prompt: 'Another one.' }
  const events = new MissionPaths(join(box.agencHome, 'missions', id)).events
  writeFileSync(join(events, 'left-behind'), JSON.stringify(report))
  expect(box.agenc(['mission', 'resume', id, ...goOn, '--timeout', '20s'])).toMatchObject({ exitCode: 0 })
  expect(promptsIn(box, id)).toEqual(['First. [[text One.]]', 'Go on. [[text Gladly.]]'])
})

test('a mission that cannot start says why in its result', () => {
  const box = wrapperBox()
  const broken = join(box.root, 'broken-claude')
  writeFileSync(broken, '#!/bin/sh\necho "no such account" >&2\nexit 3\n', { mode: 0o755 })
  box.agenc(['config', 'set', 'claude.command', broken])
  const started = ['mission', 'new', '--blank', '--headless', '--prompt', 'Hello.', '--wait']
  const { exitCode, stdout, stderr } = box.agenc(started)
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  expect(stderr).toContain('Claude ended right after its start (exit code 3).')
  const { id } = box.records()[0]!
  expect(outputOf(box, id)).toBe('no such account\n')
  expect(box.agenc(['mission', 'ls']).stdout).toContain('failed to start')

  rmSync(join(box.agencHome, 'missions', id, 'agent'), { recursive: true })
  const gone = box.agenc(['mission', 'resume', id, '--headless'])
  expect(gone).toMatchObject({ exitCode: 1 })
  expect(gone.stderr).toContain('its directory is gone')
})

test('a request whose hook was killed ends the turn when its time is up', async () => {
  const box = wrapperBox()
  const id = startHeadless(box, `Ask. [[write ${box.root}/made|]]`, '--ask-timeout', '1500ms')
  const { claude_pid } = await box.until(id, 'waiting:permission')
  const hooks = systemRunner.capture('ps', ['-eo', 'pid=,ppid=']).stdout.split('\n')
  const children = hooks
    .map(line => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === claude_pid)
  expect(children).toHaveLength(1)
  process.kill(children[0]![0]!, 'SIGKILL')
  expect((await untilResult(box, id)).parsed).toMatchObject({ is_error: true })
  expect(await box.until(id, 'idle')).toMatchObject({ claude_pid })
  expect(shown(box, id).pending).toEqual([])
  expect(existsSync(join(box.root, 'made'))).toBe(false)
})

test('a request whose report was lost ends the turn when its time is up', async () => {
  const box = wrapperBox()
  const id = startHeadless(box, 'Ask. [[delay 1000]] [[write made|]]', '--ask-timeout', '1s')
  await box.until(id, 'busy')
  const { events } = new MissionPaths(join(box.agencHome, 'missions', id))
  renameSync(events, `${events}.aside`)
  writeFileSync(events, '')
  await waitFor('the dialog', () => box.record(id).state === 'waiting')
  rmSync(events)
  renameSync(`${events}.aside`, events)
  expect((await untilResult(box, id)).parsed).toMatchObject({ is_error: true })
  await box.until(id, 'idle')
})
