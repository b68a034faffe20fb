import { spawn } from 'node:child_process'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { MissionChange } from '../../src/db/missions.ts'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import type { MissionId } from '../../src/mission-id.ts'
import { systemProbe } from '../../src/system/process-identity.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { sandbox } from '../helpers/cli.ts'
import { storeMissions, useIdleClaude } from '../helpers/missions.ts'
import { type RecordsBox, recordsBox } from '../helpers/records.ts'

/** Commands as the Claude of this mission runs them. */
function asAgent(box: RecordsBox, id: MissionId) {
  const env = { AGENC_MISSION_UUID: id, IS_SANDBOX: '1' }
  return {
    /** Starts a mission, whose Claude exits at once. */
    start: async (...args: string[]) => {
      const known = new Set(box.missions().map(mission => mission.id))
      const terminal = box.terminal(['mission', ...args], { env })
      expect(await terminal.exited, terminal.screen()).toBe(0)
      return box.missions().find(mission => !known.has(mission.id))!
    },
    refused: (...args: string[]) => {
      const { exitCode, stderr } = box.agenc(['mission', ...args], { env })
      expect({ args, exitCode }).toEqual({ args, exitCode: 1 })
      return stderr
    },
    run: (...args: string[]) => box.agenc(['mission', ...args], { env }),
  }
}

/** Columns of a mission whose wrapper is alive. */
function running(): MissionChange {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const { pid, start } = systemProbe(systemRunner).identify(child.pid!)!
  return { wrapper_pid: pid, wrapper_start: start }
}

const oneLevel = JSON.stringify([null])

describe('a mission that the Claude of another one starts', () => {
  test('knows its parent, whatever it is made from', { timeout: 60_000 }, async () => {
    const box = recordsBox()
    const [parent, other] = await storeMissions(box, [{ session_begun: 0 }, {}])
    const { start } = asAgent(box, parent!)
    const dir = box.bench.repo('elsewhere', { a: 'a' })
    for (const args of [
      ['new', '--blank'],
      ['new', 'app'],
      ['new', '--dir', dir],
      ['new', '--clone', other!],
      ['fork', other!],
    ])
      expect([args, (await start(...args)).parent_id]).toEqual([args, parent])
    expect((await box.create('--clone', other!)).parent_id).toBe(other)
  })

  test('is known by its processes, if the agent names another mission', async () => {
    const box = recordsBox()
    const self = systemProbe(systemRunner).identify(process.pid)!
    const [parent, wide] = await storeMissions(box, [
      { wrapper_pid: self.pid, wrapper_start: self.start, permission_mode: 'plan' },
      { permission_mode: 'bypassPermissions' },
    ])
    const { start, refused } = asAgent(box, wide!)
    expect(refused('new', '--blank', '--permission-mode', 'bypassPermissions')).toContain(
      `mission ${parent!.slice(0, 8)} cannot give another mission more rights than it has`,
    )
    expect(await start('new', '--blank')).toMatchObject({ parent_id: parent, permission_mode: 'plan' })
  })

  test('never gets wider rights, by any command', { timeout: 60_000 }, async () => {
    const box = recordsBox()
    const [parent, wide] = await storeMissions(box, [
      { permission_mode: 'acceptEdits', approve: 'rules' },
      { permission_mode: 'bypassPermissions', approve: 'all', may_answer: 1 },
    ])
    const { start, refused, run } = asAgent(box, parent!)
    const tooWide = 'more rights than it has'
    expect(refused('new', '--blank', '--permission-mode', 'auto')).toContain(tooWide)
    expect(refused('new', '--blank', '--approve', 'all')).toContain(tooWide)
    expect(refused('new', '--blank', '--may-answer')).toContain(tooWide)
    expect(box.missions()).toHaveLength(2)

    const child = await start('fork', wide!)
    expect(child).toMatchObject({ permission_mode: 'acceptEdits', approve: 'rules' })
    expect(refused('set', child.id, '--permission-mode', 'bypassPermissions')).toContain(tooWide)
    expect(refused('set', child.id, '--approve', 'all')).toContain(tooWide)
    expect(refused('set', child.id, '--follow')).toContain(tooWide)
    expect(refused('resume', child.id, '--permission-mode', 'auto')).toContain(tooWide)
    expect(refused('resume', child.id, '--headless', '--permission-mode', 'auto')).toContain(tooWide)
    expect(refused('resume', wide!, '--prompt', 'do it')).toContain('cannot speak as the user')
    expect(refused('resume', wide!, '--headless', '--prompt', 'do it')).toContain('cannot speak as the user')
    box.agenc(['config', 'set', 'approvals.mode', 'all'])
    expect(refused('set', child.id, '--approve', 'follow')).toContain(tooWide)
    expect(run('set', child.id, '--permission-mode', 'default', '--approve', 'ask').exitCode).toBe(0)
    expect(box.agencJson<MissionJson>(['mission', 'show', child.id])).toMatchObject({
      permission_mode: 'default',
      approve: 'ask',
    })
    // The user is not bound.
    const args = ['mission', 'set', child.id, '--permission-mode', 'bypassPermissions', '--approve', 'all']
    expect(box.agenc(args).exitCode).toBe(0)
  })
})

describe('an agent cannot speak as the user', () => {
  test.each<[MissionChange, string[], string]>([
    [{ permission_mode: 'acceptEdits' }, ['--as', 'user'], 'Send it with --as agent'],
    [{ permission_mode: 'bypassPermissions' }, [], 'Leave it to the user'],
    [{ permission_mode: 'acceptEdits', headless: 1 }, ['--as', 'user'], 'Send it with --as agent'],
    [{ approve: 'rules' }, ['--as', 'user'], 'Send it with --as agent'],
  ])('to a mission with %o', async (rights, args, advice) => {
    const box = sandbox()
    const [agent, wider] = await storeMissions(box, [{ permission_mode: 'default' }, rights])
    const send = (from: MissionId, to: MissionId) =>
      box.agenc(['mission', 'send', to, 'hello', ...args], { env: { AGENC_MISSION_UUID: from } }).stderr
    expect(send(agent!, wider!)).toContain('cannot speak as the user')
    expect(send(agent!, wider!)).toContain(advice)
    // To one with the same rights or less it can: this one just does not run.
    expect(send(agent!, agent!)).toContain('not running')
    if (rights.permission_mode !== undefined) expect(send(wider!, agent!)).toContain('not running')
  })
})

describe('limits for agents', () => {
  test('missions.max_children counts those that run', { timeout: 60_000 }, async () => {
    const box = recordsBox()
    box.agenc(['config', 'set', 'missions.max_children', '2'])
    const [parent] = await storeMissions(box, [{}])
    const child = { parent_id: parent!, agent_repos: oneLevel }
    const gone = { wrapper_pid: 999_999_999, wrapper_start: 'gone' }
    const [, , ended] = await storeMissions(box, [
      { ...child, ...running() },
      { ...child, ...gone },
      { ...child, exit_at: '2030-01-01T00:00:00.000Z' },
      // A person has forked these.
      { parent_id: parent!, ...running() },
      { parent_id: parent!, ...running() },
    ])
    const { start, refused } = asAgent(box, parent!)
    await start('new', '--blank')
    await storeMissions(box, [{ ...child, ...running() }])
    for (const args of [
      ['new', '--blank'],
      ['fork', ended!],
      ['resume', ended!],
    ]) {
      const message = refused(...args)
      expect(message).toContain('already has 2 missions running that it has started')
      expect(message).toContain('missions.max_children allows 2')
    }
    expect((await box.create('--blank')).parent_id).toBeNull()
  })

  test('commands that run at the same time do not exceed them together', { timeout: 60_000 }, async () => {
    const box = sandbox()
    onTestFinished(() => void box.agenc(['tmux', 'kill', '--yes']))
    useIdleClaude(box)
    box.agenc(['config', 'set', 'missions.max_children', '3'])
    const [parent] = await storeMissions(box, [{}])
    const env = { AGENC_MISSION_UUID: parent!, CLAUDECODE: '1' }
    const starts = Array.from({ length: 6 }, () => box.agencAsync(['mission', 'new', '--blank'], { env }))
    const exitCodes = (await Promise.all(starts)).map(({ exitCode }) => exitCode)
    expect(exitCodes.toSorted()).toEqual([0, 0, 0, 1, 1, 1])
    const missions = box.agencJson<MissionJson[]>(['mission', 'ls'])
    expect(missions.filter(({ parent_id }) => parent_id === parent)).toHaveLength(3)
  })

  test('missions.max_depth bounds a chain of agents', async () => {
    const box = recordsBox()
    const [last, middle] = await storeMissions(box, [
      { agent_repos: JSON.stringify([null, null, null]) },
      { agent_repos: JSON.stringify([null, null]) },
    ])
    const message = asAgent(box, last!).refused('new', '--blank')
    expect(message).toContain('a chain of 3 agents')
    expect(message).toContain('missions.max_depth allows 3')
    await asAgent(box, middle!).start('new', '--blank')
  })

  test('missions.max_running counts all missions, and only warns a person', { timeout: 60_000 }, async () => {
    const box = recordsBox()
    box.agenc(['config', 'set', 'missions.max_running', '2'])
    const [parent] = await storeMissions(box, [{}, running(), running()])
    const message = asAgent(box, parent!).refused('new', '--blank')
    expect(message).toContain('2 missions are already running')
    expect(message).toContain('missions.max_running allows 2')
    const loop = ['loop', 'start', 'app', '--prompt', 'Go on.', '--until', 'false']
    expect(box.agenc(loop).stderr).toContain('2 missions are already running')
    const terminal = box.terminal(['mission', 'new', '--blank'])
    expect(await terminal.exited).toBe(0)
    await terminal.waitForText('2 missions are already running, and missions.max_running is 2')
  })
})

describe('mission ls --tree', () => {
  test('shows children below their parent, in the width and the characters of the terminal', async () => {
    const box = recordsBox()
    const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`
    const [top] = await storeMissions(box, [{ name: 'top', last_active_at: at(5) }])
    const [child, archived] = await storeMissions(box, [
      { name: 'child', parent_id: top!, last_active_at: at(3) },
      { archived_at: at(0) },
    ])
    await storeMissions(box, [
      { name: 'grandchild', parent_id: child!, last_active_at: at(6) },
      { name: 'second', parent_id: top!, last_active_at: at(2) },
      { name: 'orphan', parent_id: archived!, last_active_at: at(4) },
      { name: 'other', last_active_at: at(1) },
    ])
    const plain = box.agenc(['mission', 'ls', '--tree']).stdout.split('\n').slice(1, -1)
    const shape = plain.map(line => line.replace(/[0-9a-f]{8}.*\(blank\) +(\w+).*/, '$1'))
    expect(shape).toEqual(['top', '├─ child', '│  └─ grandchild', '└─ second', 'orphan', 'other'])

    const flat = box.missions().map(({ id }) => id)
    expect(box.missions('--tree').map(({ id }) => id)).toEqual(flat)

    const env = { LC_ALL: 'C', LANG: 'C' }
    const terminal = box.terminal(['mission', 'ls', '--tree'], { env, columns: 40, rows: 20 })
    expect(await terminal.exited).toBe(0)
    await terminal.waitForText('|  `- ')
    const lines = terminal.screen().split('\n')
    expect(lines.filter(line => /^(\||`)/.test(line))).toHaveLength(3)
    expect(lines.find(line => line.startsWith('|  `- '))).toMatch(/^\| {2}`- [0-9a-f]{8} /)
  })
})
