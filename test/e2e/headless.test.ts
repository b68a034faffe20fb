import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readProcStat } from '../../src/system/proc-stat.ts'
import { outputOf, promptsIn, shown, startHeadless, transcriptOf, untilResult } from '../helpers/headless.ts'
import { pathWithout } from '../helpers/path-without.ts'
import { untilGone } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'
import { wrapperBox } from '../helpers/wrapper-box.ts'

const start = ['mission', 'new', '--blank', '--headless', '--permission-mode', 'manual']

test('runs without a terminal and without tmux, tells its result, and ends when it is stopped', async () => {
  const box = wrapperBox()
  box.env.PATH = pathWithout(box.env.PATH!, ['tmux'])
  const id = startHeadless(box, 'Hello. [[text Hi there.]]')
  await untilResult(box, id)
  const { wrapper_pid } = await box.until(id, 'idle')
  const mission = shown(box, id)
  expect(mission).toMatchObject({ headless: true, status: 'running', state: 'idle', tmux_window: null })
  expect(mission.result).toMatchObject({ text: 'Hi there.', is_error: false, time_ran_out: false, turns: 1 })
  expect(mission.result?.tokens).toEqual({ input: 10, output: 10, cache_read: 0, cache_write: 0 })
  expect(promptsIn(box, id)).toEqual(['Hello. [[text Hi there.]]'])
  expect(outputOf(box, id)).toContain('"type":"result"')
  expect(statSync(join(box.agencHome, 'missions', id, 'output.log')).mode & 0o777).toBe(0o600)

  expect(box.agenc(['mission', 'ls']).stdout).toMatch(/idle .*headless/)
  expect(box.agenc(['mission', 'show', id]).stdout).toMatch(/^result +ok at .*1 turn.*: Hi there\.$/m)
  expect(box.agencJson<{ summary: object }>(['status']).summary).toMatchObject({ running: 1, idle: 1 })
  expect(box.agenc(['status']).stdout).toMatch(/idle +headless/)
  const focus = box.agenc(['mission', 'focus', id])
  expect(focus.exitCode).toBe(1)
  expect(focus.stderr).toContain('runs without a terminal')

  if (process.platform === 'linux') expect(readProcStat(wrapper_pid!)?.session).toBe(wrapper_pid)
  process.kill(wrapper_pid!, 'SIGHUP')
  expect(box.agenc(['mission', 'stop', id]).exitCode).toBe(0)
  expect(shown(box, id)).toMatchObject({ status: 'stopped', headless: true, result: { text: 'Hi there.' } })
  expect(box.history(id).at(-1)).toMatchObject({ kind: 'ended', data: { why: 'stopped' } })
})

test('outlives the terminal in which it was started', async () => {
  const box = wrapperBox()
  const terminal = await box.shell()
  terminal.type(`agenc ${start.join(' ')} --prompt 'Slow. [[delay 700]] [[text Still here.]]'\r`)
  const { id } = await waitFor('the mission', () => box.records()[0])
  await terminal.waitForText(`Follow it with: agenc mission print -f ${id.slice(0, 8)}`)
  await box.until(id, 'busy')
  terminal.kill('SIGHUP')
  expect((await untilResult(box, id)).parsed).toMatchObject({ text: 'Still here.', is_error: false })
})

test('--wait prints the answer, and its exit code says whether it worked', async () => {
  const box = wrapperBox()
  const long = 'word '.repeat(2_000).trim()
  const [worked, failed, late] = await Promise.all([
    box.agencAsync([...start, '--wait', '--prompt', `Go. [[text ${long}]]`]),
    box.agencAsync([...start, '--wait', '--prompt', 'Go. [[error 500 broken]]']),
    box.agencAsync([...start, '--wait', '--timeout', '1500ms', '--prompt', 'Go. [[text Half.]]+[[hang]]']),
  ])
  expect(worked).toMatchObject({ exitCode: 0, stdout: `${long}\n` })
  expect(failed).toMatchObject({ exitCode: 1, stdout: '' })
  expect(failed.stderr).toContain('API Error: 500 broken')
  expect(late).toMatchObject({ exitCode: 124, stdout: '' })
  expect(late.stderr).toContain('The time ran out after 1s500ms.')

  const { id } = box.records().find(({ about }) => about?.includes('hang'))!
  const cut = await box.until(id, 'stopped')
  expect(shown(box, id)).toMatchObject({ status: 'stopped', result: { is_error: true, time_ran_out: true } })
  expect(box.history(id).at(-1)).toMatchObject({ kind: 'ended', data: { why: 'left' } })
  expect(box.agenc(['mission', 'show', id]).stdout).toContain('The time ran out')
  await untilGone(cut.claude_pid)
})

test('a Claude that takes its time to end does not hide that the time ran out', async () => {
  const box = wrapperBox()
  const slow = { hooks: [{ type: 'command', command: 'sleep 1' }] }
  writeFileSync(join(box.claudeHome, 'settings.json'), JSON.stringify({ hooks: { SessionEnd: [slow] } }))
  const wish = [...start, '--wait', '--timeout', '1s', '--prompt', 'Go. [[text Half.]]+[[hang]]']
  const { exitCode, stderr } = await box.agencAsync(wish)
  expect(stderr).toContain('The time ran out after 1s.')
  expect(exitCode).toBe(124)
  const { id } = box.records()[0]!
  await box.until(id, 'stopped')
  expect(shown(box, id).result).toMatchObject({ is_error: true, time_ran_out: true })
  expect(shown(box, id).result?.turns).toBeGreaterThan(0)
})

test('Ctrl-C while it waits leaves the mission running', async () => {
  const box = wrapperBox()
  const terminal = await box.shell()
  terminal.type(`agenc ${start.join(' ')} --wait --prompt 'Go. [[hang]]'; echo "code $?"\r`)
  const { id } = await waitFor('the mission', () => box.records()[0])
  await box.until(id, 'busy')
  terminal.type('\u0003')
  await terminal.waitForText('code 130')
  expect(terminal.screen()).toContain('goes on')
  expect(shown(box, id)).toMatchObject({ status: 'running', state: 'busy' })
})

test('a command that waits says at the terminal that the mission waits for an answer', async () => {
  const box = wrapperBox()
  const asks = "'Go. [[bash touch made]] [[text Done.]]'"
  const answered = async (command: string) => {
    const terminal = await box.shell()
    terminal.type(`${command}; echo "code $?"\r`)
    await terminal.waitForText('waits for you. Answer it with: agenc mission answer ')
    const { id } = box.records()[0]!
    expect(box.agenc(['mission', 'answer', id, 'allow']).exitCode).toBe(0)
    await terminal.waitForText('code 0')
    expect(terminal.screen().match(/waits for you/g)).toHaveLength(1)
    return id
  }
  const id = await answered(`agenc ${start.join(' ')} --wait --prompt ${asks}`)
  await answered(`agenc send ${id} --wait ${asks}`)
  await answered(`agenc send ${id} ${asks} && agenc mission wait ${id}`)
})

test('contradictions are usage errors, and nothing is created', async () => {
  const box = wrapperBox()
  const wrong = [
    ['--headless'],
    ['--headless', '--prompt', 'x', '--focus'],
    ['--headless', '--prompt', 'x', '--no-focus'],
    ['--headless', '--prompt', 'x', '--detach'],
    ['--headless', '--prompt', 'x', '--form'],
    ['--headless', '--prompt', 'x', '--timeout', 'soon'],
    ['--headless', '--prompt', 'x', '--ask-timeout', '24h'],
    ['--headless', '--prompt', 'x', '--permission-mode', 'plan'],
    ['--prompt', 'x', '--wait'],
    ['--prompt', 'x', '--timeout', '3m'],
  ]
  const codes = await Promise.all(
    wrong.map(async args => (await box.agencAsync(['mission', 'new', '--blank', ...args])).exitCode),
  )
  expect(codes).toEqual(wrong.map(() => 64))
  const untrusted = box.agenc(['mission', 'new', '--dir', box.home, '--force', '--headless', '--prompt', 'x'])
  expect(untrusted).toMatchObject({ exitCode: 1, stdout: '' })
  expect(untrusted.stderr).toContain('is not trusted')
  expect(box.records()).toEqual([])
})

test('stop keeps what Claude was saying, and ends what it had started', async () => {
  const box = wrapperBox()
  const words = 'one two three '.repeat(100)
  const talking = startHeadless(box, `Talk. [[stream 100]] [[text ${words}]]`)
  const working = startHeadless(box, 'Work. [[bash echo $$ > pid; sleep 60; true]]')
  await box.until(working, 'waiting:permission')
  expect(box.agenc(['mission', 'answer', working, 'allow']).exitCode).toBe(0)
  const path = join(box.agencHome, 'missions', working, 'agent', 'pid')
  const pid = await waitFor('the command', () => Number(readFileSync(path, 'utf8')))
  await box.until(talking, 'busy')
  expect(box.agenc(['mission', 'stop', talking, working]).exitCode).toBe(0)
  expect(transcriptOf(box, talking)).toMatch(/"content":\[{"type":"text","text":"one/)
  expect(transcriptOf(box, talking)).toContain('[Request interrupted by user]')
  await untilGone(pid)
  expect(shown(box, talking).result).toMatchObject({ is_error: true, text: null })
  expect(shown(box, working).status).toBe('stopped')
})

test('a request waits for an answer, and is denied when nobody gives one', async () => {
  const box = wrapperBox()
  const calls = join(box.root, 'calls')
  const script = 'echo "$AGENC_MISSION_STATE:$AGENC_MISSION_WAITING_FOR" >> "$0"'
  box.agenc(['config', 'set', 'notify.command', JSON.stringify(['sh', '-c', script, calls])])
  const prompt = `Work. [[bash touch ${box.root}/made]] [[text Done.]]`
  const question =
    '{"questions":[{"question":"Which?","header":"Pick","options":[{"label":"A"},{"label":"B"}]}]}'
  const answered = startHeadless(box, prompt)
  const denied = startHeadless(box, prompt.replace('made', 'not-made'), '--ask-timeout', '700ms')
  const asked = startHeadless(
    box,
    `Ask. [[tool AskUserQuestion ${question}]] [[text Fine.]]`,
    ...['--ask-timeout', '700ms'],
  )
  await box.until(answered, 'waiting:permission')
  expect(shown(box, answered).pending).toHaveLength(1)
  expect(box.agenc(['mission', 'answer', answered, 'allow']).exitCode).toBe(0)
  expect((await untilResult(box, answered)).parsed).toMatchObject({ text: 'Done.', is_error: false })
  expect(statSync(join(box.root, 'made')).isFile()).toBe(true)

  await untilResult(box, denied)
  await untilResult(box, asked)
  expect(transcriptOf(box, denied)).toContain('Nobody answered this request within 700ms')
  expect(transcriptOf(box, asked)).toContain('Nobody answered this request within 700ms')
  const record = box
    .agencJson<{ mission_id: string; decision: string; by: string }[]>(['approvals', 'ls'])
    .filter(({ mission_id }) => mission_id === denied)
  expect(record).toMatchObject([{ decision: 'deny', by: 'timeout' }])
  expect(readFileSync(calls, 'utf8')).toMatch(/waiting:permission[\s\S]*idle:/)
})

test('ends by itself when it has had nothing to do for a while, but not while a task runs', async () => {
  const box = wrapperBox()
  box.agenc(['config', 'set', 'missions.headless_idle', '400ms'])
  const task = '{"command":"sleep 1.5","description":"Wait","run_in_background":true}'
  const busy = startHeadless(box, `Go. [[tool Bash ${task}]] [[text Started.]]`)
  const idle = startHeadless(box, 'Hello. [[text Hi.]]')
  const { exit_code } = await box.until(idle, 'stopped')
  expect(exit_code).toBe(0)
  expect(shown(box, idle)).toMatchObject({ status: 'stopped', result: { text: 'Hi.' } })
  await box.until(busy, 'stopped')
  const states = box.history(busy).flatMap(({ kind, data }) => (kind === 'state' ? [data] : []))
  expect(states.some(({ background }) => background)).toBe(true)
  expect(states.at(-1)).toMatchObject({ state: 'idle', background: false })
  expect(box.history(busy).at(-1)).toMatchObject({ kind: 'ended', data: { why: 'left' } })
})

test('goes on although its output cannot be kept, is no JSON, or has no end', async () => {
  const box = wrapperBox()
  const noisy = join(box.root, 'noisy-claude')
  const noise = `head -c 12000000 /dev/zero | tr '\\0' x; echo; echo '{"type":'; echo 'not JSON'`
  writeFileSync(
    noisy,
    `#!/bin/sh\ncase "$*" in *--version*|*--help*) ;; *) ${noise};; esac\nexec claude "$@"\n`,
    { mode: 0o755 },
  )
  box.agenc(['config', 'set', 'claude.command', noisy])
  const id = startHeadless(box, 'Hello. [[delay 300]] [[text Hi.]]')
  expect((await untilResult(box, id)).parsed).toMatchObject({ text: 'Hi.' })
  const log = join(box.agencHome, 'missions', id, 'output.log')
  expect(statSync(log).size).toBeLessThan(10 * 1024 * 1024)
  expect(statSync(`${log}.1`).size).toBeLessThanOrEqual(10 * 1024 * 1024)
  box.agenc(['mission', 'stop', id])

  box.agenc(['config', 'unset', 'claude.command'])
  rmSync(log)
  mkdirSync(log)
  const again = box.agenc([
    'mission',
    'resume',
    id,
    '--headless',
    '--wait',
    '--prompt',
    'Again. [[text Yes.]]',
  ])
  expect(again).toMatchObject({ exitCode: 0, stdout: 'Yes.\n' })
})
