import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { promptsIn } from '../helpers/headless.ts'
import { countTo, type LoopBox, loopBox } from '../helpers/loops.ts'
import { isAlive } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'

/** The prompts that Claude has got. */
function given(box: LoopBox, mission: string): string[] {
  return promptsIn(box, mission).filter(prompt => !prompt.startsWith('[Request interrupted'))
}

test('a loop gives Claude the prompt with what failed, until the check succeeds', async () => {
  const box = loopBox()
  const mission = await box.blank('counter')
  const id = box.start(mission, 'Go on.', countTo(2))
  const loop = await box.untilStatus(id, 'succeeded')
  expect(loop).toMatchObject({ mission_id: mission, mission_name: 'counter', round: 3, resets_at: null })
  expect(loop.rounds.map(({ n, exit, ended_by, changed }) => [n, exit, ended_by, changed])).toEqual([
    [1, 1, 'turn', false],
    [2, 1, 'turn', true],
    [3, 0, 'turn', true],
  ])
  expect(loop.rounds.every(({ cost_usd, duration_ms }) => cost_usd! > 0 && duration_ms! > 0)).toBe(true)
  const failed = (output: string) =>
    `Go on.\n\nThe check has failed with exit code 1: ${loop.until}\nThe end of its output:\n\n${output}`
  expect(promptsIn(box, mission)).toEqual([
    'Go on.',
    failed('[[write count|1]]'),
    failed('[[write count|2]]'),
  ])
  // A Claude without a window has nothing to do any more.
  expect(box.record(mission)).toMatchObject({ wrapper_pid: null, headless: 1 })
  expect(box.agenc(['loop', 'log', 'counter']).stdout).toContain('the check succeeded')
  expect(box.agenc(['loop', 'focus', 'counter']).stdout.trim()).toBe(loop.log)
  expect(box.agenc(['loop', 'ls']).stdout).toMatch(new RegExp(`${loop.short_id} +succeeded +3/20 +counter`))
  expect(box.agenc(['loop', 'show', loop.short_id]).stdout).toContain('the check exited with 0')
  expect(box.agenc(['loop', 'continue', id])).toMatchObject({ exitCode: 1 })
  expect(box.agenc(['loop', 'stop', id]).stderr).toContain('was not running')
})

test('a loop of 24 rounds takes a few seconds', async () => {
  const box = loopBox()
  const id = box.start(await box.blank(), 'Go on.', countTo(23), '--max', '24')
  const loop = await box.untilStatus(id, 'succeeded')
  expect(loop.rounds.map(({ n, exit }) => [n, exit])).toEqual(
    Array.from({ length: 24 }, (_, index) => [index + 1, index === 23 ? 0 : 1]),
  )
})

test('a loop on a repo is a mission of its own, and counts the changes of each round', async () => {
  const box = loopBox()
  const repo = box.repo({ count: '0' })
  const id = box.start(repo, 'Go on.', countTo(1), '--name', 'own', '--permission-mode', 'acceptEdits')
  const loop = await box.untilStatus(id, 'succeeded')
  expect(loop.rounds.map(({ changes }) => changes)).toEqual([
    { files: 0, insertions: 0, deletions: 0 },
    { files: 1, insertions: 1, deletions: 1 },
  ])
  const { name, repo: used, headless } = box.record(loop.mission_id)
  expect([name, used, headless]).toEqual(['own', repo, 1])
})

test('a check that succeeds at once needs no Claude, unless a round is forced', async () => {
  const box = loopBox()
  const mission = await box.blank()
  const loop = await box.untilStatus(box.start(mission, 'Work.', 'true'), 'succeeded')
  expect(loop).toMatchObject({ round: 0, rounds: [] })
  expect(box.record(mission).session_begun).toBe(0)
  const forced = await box.untilStatus(box.start(mission, 'Work.', 'true', '--force'), 'succeeded')
  expect(forced.rounds).toMatchObject([{ n: 1, exit: 0 }])
  expect(promptsIn(box, mission)).toEqual(['Work.'])
})

test('rounds, and rounds without a change, end a loop; its mission has one loop at a time', async () => {
  const box = loopBox()
  const mission = await box.blank()
  const id = box.start(mission, 'Go on.', countTo(9), '--max', '2')
  expect((await box.untilStatus(id, 'max_rounds')).rounds.length).toBe(2)
  // Another run of the same loop has as many rounds again.
  expect(box.agenc(['loop', 'continue', id, '--max', '1']).exitCode).toBe(0)
  expect((await box.untilStatus(id, 'max_rounds')).rounds.length).toBe(3)
  expect(box.agenc(['loop', 'ls']).stdout).toMatch(/ max_rounds +3 +/)
  const stalled = box.start(mission, 'Nothing. [[delay 200]] [[text No.]]', 'false')
  const second = box.agenc(['loop', 'start', mission, '--prompt', 'More.', '--until', 'false'])
  expect(second.stderr).toContain('is already running')
  const ended = await box.untilStatus(stalled, 'stalled')
  expect(ended.rounds.map(({ changed }) => changed)).toEqual([false, false, false])
})

test('each round of a fresh loop has a conversation of its own, with the same prompt', async () => {
  const box = loopBox()
  const mission = await box.blank()
  const prompt = 'Work. [[write made|]]'
  const id = box.start(
    mission,
    prompt,
    'mv made seen && [ -e again ] || { touch again; false; }',
    '--fresh',
    '--force',
  )
  const loop = await box.untilStatus(id, 'succeeded')
  expect(loop).toMatchObject({ fresh: true, round: 2 })
  const { session_id, transcript_path } = box.record(mission)
  expect(session_id).not.toBe(mission)
  expect(promptsIn(box, mission)).toEqual([prompt])
  expect(readFileSync(transcript_path!.replace(session_id, mission), 'utf8')).toContain('Work.')
})

test('the time ends a loop in the middle of a turn, and it goes on with the check', async () => {
  const box = loopBox()
  const mission = await box.blank()
  const id = box.start(mission, 'Work. [[write a|1]] [[hang]]', 'test -e go', '--timeout', '3s')
  const loop = await box.untilStatus(id, 'timeout')
  expect(loop.rounds).toMatchObject([{ n: 1, ended_by: null, duration_ms: null }])
  expect(box.agenc(['loop', 'show', id]).stdout).toMatch(/^round 1 +not over$/m)
  expect(box.record(mission).wrapper_pid).toBeNull()
  writeFileSync(join(box.agencHome, 'missions', mission, 'agent', 'go'), '')
  expect(box.agenc(['loop', 'continue', id]).exitCode).toBe(0)
  const done = await box.untilStatus(id, 'succeeded')
  expect(done.rounds).toMatchObject([{ n: 1, ended_by: 'cut', exit: 0 }])
  expect(given(box, mission).length).toBe(1)
})

test('a check that takes too long has failed, and leaves no process', async () => {
  const box = loopBox()
  const mission = await box.blank()
  const until = 'echo $$ > pid; trap "" TERM; sleep 1000 & wait; wait'
  const id = box.start(
    mission,
    'Work. [[text No.]]',
    until,
    '--max',
    '1',
    '--check-timeout',
    '300ms',
    '--force',
  )
  const loop = await box.untilStatus(id, 'max_rounds')
  expect(loop.rounds).toMatchObject([{ exit: null }])
  expect(readFileSync(loop.log, 'utf8')).toContain('because it took longer than 300ms')
  const pid = Number(readFileSync(join(box.agencHome, 'missions', mission, 'agent', 'pid'), 'utf8'))
  expect(isAlive(pid)).toBe(false)
})

test("Claude's usage limit ends a loop, which says when to go on", async () => {
  const box = loopBox()
  const mission = await box.blank()
  const id = box.start(mission, 'Work. [[limit +3600]]', 'test -e go')
  const loop = await box.untilStatus(id, 'limit')
  expect(loop.rounds).toMatchObject([{ ended_by: 'limit', error: 'rate_limit', exit: 1 }])
  expect(Math.abs(Date.parse(loop.resets_at!) - Date.now() - 3_600_000)).toBeLessThan(60_000)
  expect(box.record(mission).resets_at).toBe(loop.resets_at)
  expect(box.agenc(['loop', 'continue', id]).exitCode).toBe(0)
  expect(await box.untilStatus(id, 'limit')).toMatchObject({ round: 2 })
})

test('an error of Claude that will stay ends a loop', async () => {
  const box = loopBox()
  const mission = await box.blank()
  const loop = await box.untilStatus(box.start(mission, 'Work. [[error 401 no]]', 'false'), 'failed')
  expect(loop).toMatchObject({ reason: 'Claude is not logged in', round: 1 })
})

test('a loop fails when its mission is stopped', async () => {
  const box = loopBox()
  const mission = await box.blank()
  const id = box.start(mission, 'Work. [[hang]]', 'false')
  await waitFor('the prompt', () => promptsIn(box, mission).length === 1)
  expect(box.agenc(['mission', 'stop', mission]).exitCode).toBe(0)
  // Its turn is interrupted before Claude ends. The loop may see the one or the other.
  const { rounds, reason } = await box.untilStatus(id, 'failed')
  expect(reason).toMatch(/^the turn was interrupted$|^the mission ended during a turn$/)
  expect(rounds).toMatchObject([{ ended_by: expect.stringMatching(/^(interrupted|ended)$/), exit: 1 }])
})

test('stop ends the turn or the check, and returns when it is over', async () => {
  const box = loopBox()
  const mission = await box.blank('busy')
  const agent = join(box.agencHome, 'missions', mission, 'agent')
  const id = box.start(mission, 'Work. [[hang]]', 'test -e go && echo $$ > pid && sleep 1000')
  await box.until(mission, 'busy')
  const { claude_pid } = box.record(mission)
  expect(box.agencJson(['loop', 'stop', 'busy'])).toMatchObject({ status: 'stopped', runner_pid: null })
  expect(isAlive(claude_pid!)).toBe(false)
  writeFileSync(join(agent, 'go'), '')
  expect(box.agenc(['loop', 'continue', id]).exitCode).toBe(0)
  const pid = await waitFor('the check', () => Number(readFileSync(join(agent, 'pid'), 'utf8')))
  const { runner_pid } = box.show(id)
  expect(box.agenc(['loop', 'stop', id]).exitCode).toBe(0)
  expect([pid, runner_pid!].filter(isAlive)).toEqual([])
  expect(box.show(id)).toMatchObject({ status: 'stopped', rounds: [{ ended_by: 'cut', exit: null }] })
  expect(given(box, mission).length).toBe(1)
})

test('what cannot run as a loop is refused before anything is created', async () => {
  const box = loopBox()
  const repo = box.repo()
  const mission = await box.blank('here')
  const refused = (...args: string[]) => {
    const { exitCode, stderr } = box.agenc(['loop', 'start', ...args])
    expect(exitCode).toBe(64)
    return stderr
  }
  const until = ['--until', 'false']
  expect(refused(repo, '--prompt', 'x')).toContain('there is no check')
  expect(refused(repo, ...until)).toContain('there is no prompt')
  expect(refused(repo, '--prompt', '/compact', ...until)).toContain('takes it for a command')
  expect(refused(repo, '--prompt', 'x', ...until, '--', 'npm', 'test')).toContain('exclude each other')
  expect(refused(repo, '--prompt', 'x', ...until, '--max', '0')).toContain('not a number of rounds')
  expect(refused(repo, '--prompt', 'x', ...until, '--timeout', 'soon')).toContain('not a duration')
  expect(refused(repo, '--prompt', 'x', ...until, '--permission-mode', 'plan')).toContain('plan mode')
  expect(refused('nowhere', '--prompt', 'x', ...until)).toContain('no repo and no mission')
  expect(refused('here', '--prompt', 'x', ...until, '--model', 'opus')).toContain('is a mission already')
  expect(box.records().map(({ id }) => id)).toEqual([mission])
  expect(box.agencJson(['loop', 'ls'])).toEqual([])
  box.agenc(['config', 'set', 'claude.permission_mode', 'plan'])
  expect(refused(repo, '--prompt', 'x', ...until)).toContain('plan mode')
})

test('a check may be a program with arguments, with the ports of the mission', async () => {
  const box = loopBox()
  const repo = box.repo()
  const until = ['sh', '-c', 'test "$1" = "a b" && env | grep -q "^AGENC_PORT_9=" && pwd > here', 'sh', 'a b']
  const started = box.agenc(['loop', 'start', repo, '--prompt', 'Work.', '--json', '--', ...until])
  const { id, until: words } = JSON.parse(started.stdout)
  expect(words).toContain("'a b'")
  const { mission_id } = await box.untilStatus(id, 'succeeded')
  const agent = join(box.agencHome, 'missions', mission_id, 'agent')
  expect(existsSync(join(agent, 'here'))).toBe(true)
  expect(readFileSync(join(agent, 'here'), 'utf8').trim()).toBe(agent)
})

test('neither an agent nor anyone else goes on with a loop where none may start', async () => {
  const box = loopBox()
  const mission = await box.blank('wide')
  const agent = await box.blank('agent')
  const id = box.start(mission, 'Work.', 'true')
  await box.untilStatus(id, 'succeeded')
  const env = { AGENC_MISSION_UUID: agent }
  for (const verb of ['continue', '_run']) {
    const { exitCode, stderr } = box.agenc(['loop', verb, id], { env })
    expect({ verb, exitCode, stderr }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('has not started'),
    })
  }
  box.agenc(['mission', 'archive', mission])
  expect(box.agenc(['loop', 'continue', id]).stderr).toContain('is archived')
})
