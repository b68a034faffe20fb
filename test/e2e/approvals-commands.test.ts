import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { insertRequest, settleRequest } from '../../src/db/approvals.ts'
import type { MissionChange } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { linkPlan } from '../../src/db/plans.ts'
import { wakeFollowers } from '../../src/mission/followers.ts'
import type { MissionId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import { systemProbe } from '../../src/system/process-identity.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { wakeUp } from '../../src/system/wakeup-fifo.ts'
import { verdicts } from '../../src/wrapper/control-message.ts'
import { agencScript, type Sandbox, sandbox } from '../helpers/cli.ts'
import { storeMissions } from '../helpers/missions.ts'
import { openTerminal } from '../helpers/terminal.ts'
import { waitFor } from '../helpers/wait.ts'

const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
const gitRule = { tool: 'Bash', match: 'git status*', decision: 'allow' }
const rules = [gitRule, { tool: 'Bash', match: 'git push*', decision: 'deny', message: 'push is mine' }]

async function withStore<T>(
  box: Sandbox,
  work: (db: Awaited<ReturnType<typeof openStore>>) => T,
): Promise<T> {
  const db = await openStore(join(box.agencHome, 'database.sqlite'))
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** Gives a mission a wrapper that lives as long as the test. It must not be a parent of the commands under test. */
function running(): MissionChange {
  const wrapper = spawn('sleep', ['1000'], { stdio: 'ignore' })
  onTestFinished(() => void wrapper.kill())
  const { pid, start } = systemProbe(systemRunner).identify(wrapper.pid!)!
  return { wrapper_pid: pid, wrapper_start: start }
}

async function boxWithHistory(second = running()): Promise<{ box: Sandbox; ids: MissionId[] }> {
  const box = sandbox()
  const ids = await storeMissions(box, [{}, second])
  await withStore(box, db => {
    const request = (mission: MissionId, at: string, tool: string, input: object) =>
      insertRequest(db, { mission_id: mission, at, tool, input })
    const first = request(ids[0]!, '2026-01-01T00:00:00.000Z', 'Bash', { command: 'git status' })
    settleRequest(db, first, { decision: 'allow', by: 'rule', rule: gitRule, latencyMs: 501 })
    const second = request(ids[0]!, '2026-02-01T00:00:00.000Z', 'Write', {
      file_path: 'a',
      content: `TOKEN=${secret}`,
    })
    settleRequest(db, second, { decision: 'deny', by: 'user', latencyMs: 9000 })
    settleRequest(db, second, { decision: 'allow', by: 'answer', latencyMs: 9001 })
    request(ids[1]!, '2026-03-01T00:00:00.000Z', 'Bash', { command: `curl -H "Authorization: ${secret}" x` })
  })
  return { box, ids }
}

test('approvals ls prints each request with exactly the documented keys and its first answer, and masks secrets', async () => {
  const { box, ids } = await boxWithHistory()
  const rows = box.agencJson<Record<string, unknown>[]>(['approvals', 'ls'])
  expect(rows[0]).toEqual({
    at: '2026-01-01T00:00:00.000Z',
    mission_id: ids[0],
    tool: 'Bash',
    input: { command: 'git status' },
    decision: 'allow',
    rule: gitRule,
    by: 'rule',
    latency_ms: 501,
    answer: null,
  })
  expect(rows[1]).toMatchObject({ decision: 'deny', by: 'user', latency_ms: 9000, rule: null })
  expect(rows[2]).toMatchObject({ decision: 'ask', by: null, latency_ms: null })
  expect(JSON.stringify(rows)).not.toContain(secret)
  const shown = box.agenc(['approvals', 'ls']).stdout
  expect(shown).toContain('git status')
  expect(shown).not.toContain(secret)
})

test('approvals ls shows an open request of a mission that is not running as timed out', async () => {
  for (const second of [{}, { ...running(), wrapper_start: 'another' }]) {
    const { box } = await boxWithHistory(second)
    const rows = box.agencJson<Record<string, unknown>[]>(['approvals', 'ls'])
    expect(rows[2]).toMatchObject({ decision: 'ask', by: 'timeout', latency_ms: null })
    await withStore(box, db => db.exec('DELETE FROM missions'))
    expect(box.agencJson(['approvals', 'ls'])).toEqual(rows)
  }
})

test.each([
  [[], 3],
  [['--tool', 'Write'], 1],
  [['--decision', 'allow'], 1],
  [['--decision', 'ask'], 1],
  [['--since', '2026-01-15'], 2],
  [['--since', '2026-01-15', '--tool', 'Bash'], 1],
])('approvals ls %j lists %i requests', async (args, count) => {
  const { box, ids } = await boxWithHistory()
  expect(box.agencJson(['approvals', 'ls', ...args])).toHaveLength(count)
  expect(box.agencJson(['approvals', 'ls', ids[1]!, '--tool', 'Write'])).toEqual([])
})

test('approvals ls rejects unknown values with exit code 64, and succeeds if there are no requests', () => {
  const box = sandbox()
  expect(box.agenc(['approvals', 'ls', '--decision', 'maybe']).exitCode).toBe(64)
  expect(box.agenc(['approvals', 'ls', '--since', 'yesteryear']).exitCode).toBe(64)
  expect(box.agencJson(['approvals', 'ls'])).toEqual([])
  expect(box.agenc(['approvals', 'ls'])).toMatchObject({ exitCode: 0, stdout: '' })
})

test('approvals test shows what the rules would do with each part of a command', () => {
  const box = sandbox()
  mkdirSync(box.agencHome, { recursive: true })
  writeFileSync(join(box.agencHome, 'config.json'), JSON.stringify({ approvals: { rules } }))
  const verdict = (...args: string[]) =>
    box.agencJson<Record<string, unknown>>(['approvals', 'test', ...args])
  expect(verdict('git status -s')).toEqual({
    decision: 'allow',
    reason: expect.any(String),
    parts: [{ text: 'git status -s', decision: 'allow', rule: gitRule }],
  })
  expect(verdict('git status && git push')).toMatchObject({
    decision: 'deny',
    parts: [{ decision: 'allow' }, { decision: 'deny', rule: { match: 'git push*' } }],
  })
  expect(verdict('git status; curl x | sh')).toMatchObject({ decision: 'ask' })
  expect(verdict('--tool', 'Write', 'a.txt')).toMatchObject({ decision: 'ask' })
  const denied = box.agenc(['approvals', 'test', 'git push'])
  expect(denied.stdout).toMatch(/^denied by rule 2: Bash "git push\*"\n.*: push is mine$/m)
  expect(denied.stderr).toContain('allow rules are ignored')
  const inParts = box.agenc(['approvals', 'test', 'git status && make']).stdout.split('\n')
  expect(inParts.slice(1, 3)).toEqual(['  allow  git status (rule 1)', '  ask  make'])
  const masked = box.agenc(['approvals', 'test', `deploy --token ${secret}`, '--json']).stdout
  expect(masked).not.toContain(secret)
})

test('approvals test --mission uses the approve mode and the directory of that mission', async () => {
  const box = sandbox()
  const [asks, follows] = await storeMissions(box, [{}, { approve: 'rules' }])
  const writeRule = { tool: 'Write', match: '{dir}/**', decision: 'allow' }
  writeFileSync(join(box.agencHome, 'config.json'), JSON.stringify({ approvals: { rules: [writeRule] } }))
  const verdict = (id: string, path: string) =>
    box.agencJson<{ decision: string; reason: string }>([
      'approvals',
      'test',
      '--mission',
      id,
      '--tool',
      'Write',
      path,
    ])
  expect(verdict(asks!, 'a.txt')).toMatchObject({ decision: 'ask', reason: expect.stringContaining('"ask"') })
  expect(verdict(follows!, 'a.txt')).toMatchObject({ decision: 'allow' })
  expect(verdict(follows!, '../a.txt')).toMatchObject({ decision: 'ask' })
  box.agenc(['hold', follows!])
  expect(
    box.agenc(['approvals', 'test', '--mission', follows!, '--tool', 'Write', 'a.txt']).stderr,
  ).toContain('agenc hold --release')
})

test('hold pauses approvals and --release resumes them, for all missions or for one', async () => {
  const box = sandbox()
  const [one, two] = await storeMissions(box, [{}, {}])
  expect(box.agencJson(['hold', one!])).toEqual({ held: false, since: null, missions: [one] })
  expect(box.agencJson(['hold'])).toEqual({ held: true, since: expect.any(String), missions: [one] })
  expect(box.agencJson(['hold'])).toMatchObject({ held: true })
  expect(box.agenc(['approvals', 'ls']).stderr).toContain('paused for all missions')
  expect(box.agenc(['hold', '--release', one!]).stderr).toContain('still paused for all missions')
  box.agenc(['hold', two!])
  expect(box.agencJson(['hold', '--release'])).toEqual({ held: false, since: null, missions: [] })
  expect(box.agencJson(['hold', '--release'])).toMatchObject({ held: false })
  expect(box.agenc(['hold', 'zzzz'])).toMatchObject({ exitCode: 64 })
})

test('mission plan prints the latest plan, raw for programs and rendered for people', async () => {
  const box = sandbox()
  const [id, without] = await storeMissions(box, [{}, {}])
  const path = join(box.root, 'plan.md')
  writeFileSync(path, '# Fix it\n\n- first `step`\n- **second**\n\n```\ncode\n```\n')
  await withStore(box, db => {
    linkPlan(db, id!, join(box.root, 'old.md'), '2026-01-01T00:00:00.000Z')
    linkPlan(db, id!, path, '2026-01-02T00:00:00.000Z')
  })
  expect(box.agenc(['mission', 'plan', id!]).stdout).toContain('# Fix it\n\n- first `step`')
  expect(box.agencJson(['mission', 'plan', id!])).toMatchObject({
    path,
    text: expect.stringContaining('# Fix'),
  })
  expect(box.agenc(['mission', 'plan', without!])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('no plan yet'),
  })
  const terminal = openTerminal(process.execPath, [agencScript, 'mission', 'plan', id!], {
    env: { ...box.env, NO_COLOR: '' },
  })
  const screen = await terminal.waitForText('• first step')
  await terminal.exited
  expect(screen).toMatch(/^Fix it$/m)
  expect(terminal.raw()).toContain('\u001b[1mFix it')
})

/** The message that a command leaves for the wrapper of a mission. */
function messageFor(box: Sandbox, mission: MissionId) {
  const { events } = pathsAt(box.agencHome).mission(mission)
  return waitFor('the control message for its wrapper', () => {
    const [name] = readdirSync(events)
    return JSON.parse(readFileSync(join(events, name!), 'utf8')) as { request: number; bell: string }
  })
}

test('mission answer waits a moment for the request of a mission that is known to ask', async () => {
  const box = sandbox()
  const [id] = await storeMissions(box, [{ ...running(), state: 'waiting', waiting_for: 'question' }])
  const paths = pathsAt(box.agencHome)
  mkdirSync(paths.mission(id!).events, { recursive: true })
  const answering = box.agencAsync(['mission', 'answer', id!, '--choice', 'Red', '--notes', 'dark'])
  await waitFor('the command to wait', () => readdirSync(paths.followers).length > 0)
  const questions = [{ question: 'Which?', options: [{ label: 'Blue' }, { label: 'Red' }] }]
  const input = { questions }
  await withStore(box, db =>
    insertRequest(db, { mission_id: id!, at: new Date().toISOString(), tool: 'AskUserQuestion', input }),
  )
  wakeFollowers(paths)
  const { request, bell, ...message } = await messageFor(box, id!)
  expect(message).toEqual({
    agenc: 'answer',
    allow: true,
    answers: [{ question: 0, options: [1], notes: 'dark' }],
  })
  await withStore(box, db => settleRequest(db, request, { decision: 'allow', by: 'answer', latencyMs: 1 }))
  wakeUp(bell, verdicts.taken)
  expect(await answering).toMatchObject({ exitCode: 0 })
})

test('mission answer fails if an opposite answer was recorded first', async () => {
  const { box, ids } = await boxWithHistory()
  mkdirSync(pathsAt(box.agencHome).mission(ids[1]!).events, { recursive: true })
  const answering = box.agencAsync(['mission', 'answer', ids[1]!, 'allow'])
  const { request, bell } = await messageFor(box, ids[1]!)
  await withStore(box, db => settleRequest(db, request, { decision: 'deny', by: 'answer', latencyMs: 1 }))
  wakeUp(bell)
  expect(await answering).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringContaining(`${ids[1]!.slice(0, 8)} was denied`),
  })
})

test.each([
  ['trust', 'asks whether you trust its directory'],
  ['input', 'has a dialog open'],
] as const)('mission answer says what a dialog is that no hook reports: %s', async (waitingFor, words) => {
  const box = sandbox()
  const [id] = await storeMissions(box, [{ ...running(), state: 'waiting', waiting_for: waitingFor }])
  const { exitCode, stderr } = box.agenc(['mission', 'answer', id!])
  expect(exitCode).toBe(1)
  expect(stderr).toContain(`${words}, which can only be answered in its window`)
  expect(stderr).toContain(`agenc mission focus ${id!.slice(0, 8)}`)
})

test('mission answer fails if the mission is not running, and rejects invalid arguments', async () => {
  const { box, ids } = await boxWithHistory({})
  expect(box.agenc(['mission', 'answer', ids[1]!, 'allow'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('no open request'),
  })
  expect(box.agenc(['mission', 'answer', ids[1]!, 'perhaps']).exitCode).toBe(64)
  expect(box.agenc(['mission', 'answer', ids[1]!, 'deny', '--mode', 'plan']).exitCode).toBe(64)
  expect(box.agenc(['mission', 'answer', ids[1]!, 'allow', '--message', 'x']).exitCode).toBe(64)
})
