import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { writeProgram } from '../helpers/missions.ts'
import { untilGone } from '../helpers/processes.ts'
import type { Terminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'
import { answer, say, type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

/** A stopped mission that has a conversation. */
async function stoppedConversation(box: WrapperBox, ...args: string[]): Promise<string> {
  const { id, terminal } = await box.mission('--permission-mode', 'default', ...args)
  await talk(box, id, terminal, 'It is a fine day.')
  await leave(box, id, terminal)
  return id
}

async function talk(box: WrapperBox, id: string, terminal: Terminal, text: string): Promise<void> {
  await box.turn(id, terminal, `Talk. [[text ${text}]]`)
  await terminal.waitForText(text)
}

async function leave(box: WrapperBox, id: string, terminal: Terminal): Promise<void> {
  await say(terminal, '/exit')
  expect(await terminal.exited).toBe(0)
  expect(box.record(id)).toMatchObject({ exit_code: 0, ended_by: 'user', wrapper_pid: null })
}

/** Runs a command in the shell and waits for this exit code. */
async function runInShell(terminal: Terminal, command: string, exitCode: number): Promise<string> {
  terminal.type(`clear; ${command}; echo "left $?"\r`)
  return terminal.waitForText(`left ${exitCode}`)
}

test('resume without a terminal is refused and changes nothing', async () => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission('--permission-mode', 'default')
  await leave(box, id, terminal)
  const refused = box.agenc(['mission', 'resume', id, '--permission-mode', 'plan', '--json'])
  expect(refused).toMatchObject({ exitCode: 64, stdout: '' })
  expect(box.record(id).permission_mode).toBe('default')
})

describe('resume continues the conversation', () => {
  test('after /exit, with the same id and messages', async () => {
    const box = wrapperBox()
    const id = await stoppedConversation(box)
    const terminal = box.run(['mission', 'resume', id.slice(0, 8)])
    await terminal.waitForText('It is a fine day.')
    await box.ready(id)
    expect(box.record(id).session_id).toBe(id)
  })

  test('after kill -9 in the middle of a turn', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission('--permission-mode', 'default')
    await talk(box, id, terminal, 'It is a fine day.')
    await say(terminal, 'Think. [[text Hm.]]+[[hang]]')
    await box.until(id, 'busy')
    const { wrapper_pid, claude_pid } = box.record(id)
    process.kill(wrapper_pid!, 'SIGKILL')
    process.kill(claude_pid!, 'SIGKILL')
    await untilGone(wrapper_pid, claude_pid)
    const resumed = box.run(['mission', 'resume', id])
    await resumed.waitForText('It is a fine day.')
    await box.ready(id)
    await talk(box, id, resumed, 'As I was saying.')
  })

  test('of a mission that has none by starting one with the same id', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission()
    await leave(box, id, terminal)
    expect(box.record(id).session_begun).toBe(0)
    const resumed = box.run(['mission', 'resume', id])
    await box.ready(id)
    await talk(box, id, resumed, 'Good morning.')
    expect(box.record(id)).toMatchObject({ session_id: id, session_begun: 1 })
  })

  test('under another id if Claude takes the id of an empty conversation as used', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission('--permission-mode', 'default')
    const { transcript_path } = box.record(id)
    await leave(box, id, terminal)
    mkdirSync(dirname(transcript_path!), { recursive: true })
    writeFileSync(transcript_path!, `{"type":"mode","mode":"normal","sessionId":"${id}"}\n`)
    const resumed = box.run(['mission', 'resume', id])
    await waitFor('another id', () => box.record(id).session_id !== id)
    await box.ready(id)
    await talk(box, id, resumed, 'Good morning.')
    expect(box.record(id).session_begun).toBe(1)
    await leave(box, id, resumed)
    await box.run(['mission', 'resume', id]).waitForText('Good morning.')
  })

  test('after its only prompt was interrupted, which leaves no conversation', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission('--permission-mode', 'default')
    await say(terminal, 'Think. [[hang]]')
    await box.until(id, 'busy')
    terminal.type('\u001b')
    await box.ready(id)
    const { wrapper_pid, claude_pid } = box.record(id)
    process.kill(wrapper_pid!, 'SIGKILL')
    await untilGone(wrapper_pid, claude_pid)
    box.run(['mission', 'resume', id])
    await box.ready(id)
  })

  test('that was started by /clear, not the one before it', async () => {
    const box = wrapperBox()
    const { id, terminal } = await box.mission('--permission-mode', 'default')
    await talk(box, id, terminal, 'It is a fine day.')
    await say(terminal, '/clear')
    await waitFor('another session', () => box.record(id).session_id !== id)
    await box.ready(id)
    await talk(box, id, terminal, 'A new leaf.')
    await leave(box, id, terminal)
    const resumed = box.run(['mission', 'resume', id])
    await resumed.waitForText('A new leaf.')
    expect(resumed.screen()).not.toContain('It is a fine day.')
  })

  test('or refuses to open an empty one if the transcript is gone', async () => {
    const box = wrapperBox()
    const id = await stoppedConversation(box)
    rmSync(join(box.claudeHome, 'projects'), { recursive: true })
    const terminal = await box.shell()
    const screen = await runInShell(terminal, `agenc mission resume ${id}`, 1)
    expect(screen.replaceAll('\n', '')).toContain(`is gone: no ${id}.jsonl`)
    expect(box.record(id)).toMatchObject({ wrapper_pid: null, session_id: id, session_begun: 1 })
    const forked = await runInShell(terminal, `agenc mission fork ${id}`, 1)
    expect(forked).toContain('is gone')
  })
})

describe('of two resumes of a mission', () => {
  test('the second says where the first is running', async () => {
    const box = wrapperBox()
    const { id } = await box.mission()
    const terminal = await box.shell()
    const screen = await runInShell(terminal, `agenc mission resume ${id}`, 1)
    expect(screen).toMatch(/is running on \/dev\/\S+ \(process \d+\)/)
  })

  test('only one starts Claude, in each of fifty races', async () => {
    const box = wrapperBox()
    const missions = [await box.mission(), await box.mission()]
    for (const { id, terminal } of missions) await leave(box, id, terminal)
    box.agenc(['config', 'set', 'claude.command', quickClaude(box)])
    await Promise.all(missions.map(({ id }) => race(box, id, 25)))
    expect(readFileSync(join(box.root, 'starts'), 'utf8').trim().split('\n')).toHaveLength(50)
  }, 90_000)
})

async function race(box: WrapperBox, id: string, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const racers = [box.run(['mission', 'resume', id]), box.run(['mission', 'resume', id])]
    const has = (words: string) => racers.find(racer => racer.screen().includes(words))
    const winner = await waitFor('one Claude to start', () => has('Claude is here'))
    const loser = racers.find(racer => racer !== winner)!
    let isOver = false
    void loser.exited.then(() => {
      isOver = true
    })
    // A resume that is refused before it takes over the terminal exits without waiting for Enter.
    await waitFor('the other resume to be refused', () => isOver || loser.screen().includes('Press Enter'))
    expect(loser.screen()).toMatch(/is (already )?running/)
    for (const racer of isOver ? [winner] : [loser, winner]) racer.type('\r')
    expect(await Promise.all([winner.exited, loser.exited])).toEqual([0, 1])
  }
}

/** A Claude that starts faster than the stand-in. The test only counts how often it is started. */
function quickClaude(box: WrapperBox): string {
  const script = `[ "$1" = --version ] && echo 2.1.325 && exit
case "$*" in *--settings*) echo $$ >>'${join(box.root, 'starts')}'; echo 'Claude is here'; read -r word ;; esac`
  return writeProgram(join(box.root, 'quick'), script)
}

describe('resume --restart', () => {
  test('waits until Claude is idle, then restarts it with the same conversation and the new settings', async () => {
    const box = wrapperBox()
    box.agenc(['config', 'set', 'claude.permission_mode', 'default'])
    const { id, terminal } = await box.mission('--name', 'steady')
    await talk(box, id, terminal, 'It is a fine day.')
    const { wrapper_pid, claude_pid } = box.record(id)
    await say(terminal, 'Go. [[bash touch made]] [[text Made.]]')
    await box.until(id, 'waiting:permission')
    box.agenc(['config', 'set', 'claude.permission_mode', 'plan'])
    expect(box.agenc(['mission', 'resume', id, '--restart'])).toMatchObject({ exitCode: 0 })
    expect(box.record(id).claude_pid).toBe(claude_pid)
    await answer(box, id, terminal, '\u001b')
    await waitFor('another Claude', () => box.record(id).claude_pid !== claude_pid)
    await terminal.waitForText('plan mode on')
    await terminal.waitForText('It is a fine day.')
    await box.ready(id)
    expect(box.record(id)).toMatchObject({
      wrapper_pid,
      session_id: id,
      permission_mode: null,
      name: 'steady',
    })
    expect(box.agencJson<MissionJson>(['mission', 'show', id])).toMatchObject({ status: 'running' })
    await talk(box, id, terminal, 'As I was saying.')
    expect(box.record(id).permission_mode).toBeNull()
    await leave(box, id, terminal)
  })
})
