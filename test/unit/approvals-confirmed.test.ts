import { appendFileSync, closeSync, constants, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { hookReport } from '../../src/claude/hook-report.ts'
import { openReplyChannel } from '../../src/claude/reply-channel.ts'
import { parseConfig } from '../../src/config/check.ts'
import { listApprovals } from '../../src/db/approvals.ts'
import { insertMission } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { guardedPlaces } from '../../src/mission/guarded-places.ts'
import { newMissionId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { ApprovalLog } from '../../src/wrapper/approval-log.ts'
import { CurrentSettings } from '../../src/wrapper/current-settings.ts'
import { Requests } from '../../src/wrapper/permission-requests.ts'
import { RuleEngine } from '../../src/wrapper/rule-engine.ts'
import { aMission } from '../helpers/a-mission.ts'
import { temporaryDirectory } from '../helpers/cli.ts'

const rules = [
  { tool: 'Bash', match: 'touch *', decision: 'allow' },
  { tool: 'Bash', match: 'rm *', decision: 'deny' },
]

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** Requests whose hooks wait for an answer, and a transcript that the test writes. */
async function box() {
  const home = temporaryDirectory()
  const paths = pathsAt(home)
  const text = JSON.stringify({ approvals: { mode: 'rules', delay_ms: 0, rules } })
  writeFileSync(paths.config, text)
  const parsed = parseConfig(text)
  if (!parsed.ok) throw new Error(parsed.problem.message)
  const id = newMissionId()
  const db = await openStore(paths.database)
  onTestFinished(() => void db.close())
  insertMission(db, aMission({ id }))
  const asksDirectory = join(home, 'ask')
  mkdirSync(asksDirectory)
  const settings = new CurrentSettings(paths, parsed.config)
  const guarded = guardedPlaces({ paths, env: { HOME: home } })
  const ruleEngine = new RuleEngine(
    db,
    { id, repo: null, dir: null, agent_repos: null },
    paths,
    settings,
    guarded,
    () => {},
  )
  await ruleEngine.makeReady()
  const log = () => {}
  const requests = new Requests(ruleEngine, new ApprovalLog(db, id, () => new Date(), log), log)
  const transcript = join(home, 'transcript.jsonl')
  writeFileSync(transcript, `${JSON.stringify({ type: 'user', message: { content: 'Hello.' } })}\n`)
  let hooks = 0
  const tell = (name: string, more: object) => {
    const report = hookReport({ hook_event_name: name, transcript_path: transcript, ...more }, [])!
    return requests.take(report, openReplyChannel(asksDirectory, String(hooks), report.kind))
  }
  const write = (line: object) => appendFileSync(transcript, `${JSON.stringify(line)}\n`)
  return {
    requests,
    ask(command: string, more: object = {}) {
      const fifo = join(asksDirectory, String(++hooks))
      systemRunner.capture('mkfifo', [fifo])
      const hook = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK)
      onTestFinished(() => closeSync(hook))
      tell('PermissionRequest', { tool_name: 'Bash', tool_input: { command }, ...more })
    },
    ran: (command: string, useId: string) =>
      void tell('PostToolUse', { tool_name: 'Bash', tool_input: { command }, tool_use_id: useId }),
    stop: () => void tell('Stop', {}),
    prompt: () => void tell('UserPromptSubmit', {}),
    took: (toolUseID: string, decision = 'allow') =>
      write({
        type: 'attachment',
        attachment: { type: 'hook_permission_decision', hookEvent: 'PermissionRequest', decision, toolUseID },
      }),
    result: (tool_use_id: string) =>
      write({ type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id }] } }),
    record: () =>
      listApprovals(db).map(row => `${row.decision} ${row.decided_by}${row.confirmed ? '' : '?'}`),
  }
}

test('the transcript confirms that a rule allowed the tool', async () => {
  const { ask, ran, took, result, stop, record } = await box()
  ask('touch a')
  expect(record()).toEqual(['allow rule?'])
  ran('touch a', 'one')
  expect(record()).toEqual(['allow rule?'])
  took('one')
  result('one')
  stop()
  expect(record()).toEqual(['allow rule'])
})

test('a tool that ran without a hook decision in the transcript was allowed by the user', async () => {
  const { ask, ran, result, stop, record } = await box()
  ask('touch a')
  ran('touch a', 'one')
  result('one')
  stop()
  expect(record()).toEqual(['allow user'])
})

test('the transcript may be written after the end of the turn', async () => {
  const { ask, ran, took, result, stop, record } = await box()
  ask('touch a')
  ran('touch a', 'one')
  stop()
  expect(record()).toEqual(['allow rule?'])
  took('one')
  result('one')
  vi.advanceTimersByTime(300)
  expect(record()).toEqual(['allow rule'])
})

test('a denial is confirmed, and one that came too late counts as allowed by the user', async () => {
  const { ask, ran, took, result, stop, record } = await box()
  ask('rm a')
  took('one', 'deny')
  result('one')
  ask('rm b')
  ran('rm b', 'two')
  result('two')
  stop()
  expect(record()).toEqual(['deny rule', 'allow user'])
})

test('a tool that a rule allowed but the user denied at the same moment counts as denied by the user', async () => {
  const { ask, result, stop, record } = await box()
  ask('touch a')
  result('one')
  stop()
  vi.advanceTimersByTime(300)
  expect(record()).toEqual(['allow rule?'])
  vi.advanceTimersByTime(2_000)
  expect(record()).toEqual(['deny user'])
})

test('a rule is confirmed even if the tool was interrupted before it ran', async () => {
  const { ask, took, result, stop, record } = await box()
  ask('touch a')
  took('one')
  result('one')
  stop()
  vi.advanceTimersByTime(2_000)
  expect(record()).toEqual(['allow rule'])
})

test('two requests at once are confirmed separately', async () => {
  const { ask, ran, took, result, stop, record } = await box()
  ask('touch a')
  ask('touch b')
  ran('touch b', 'two')
  took('two')
  result('two')
  ran('touch a', 'one')
  result('one')
  stop()
  expect(record()).toEqual(['allow user', 'allow rule'])
})

test('a request of the next turn is not mixed up with one of the last turn', async () => {
  const { ask, ran, result, stop, record } = await box()
  ask('touch a')
  stop()
  ask('touch b')
  result('other')
  vi.advanceTimersByTime(2_000)
  expect(record()).toEqual(['deny user', 'allow rule?'])
  ran('touch b', 'two')
  result('two')
  stop()
  expect(record()).toEqual(['deny user', 'allow user'])
})

test('a prompt during a running tool does not end its request', async () => {
  const { ask, result, prompt, record } = await box()
  ask('touch a')
  result('other')
  prompt()
  vi.advanceTimersByTime(2_000)
  expect(record()).toEqual(['allow rule?'])
})

test('a request stays unconfirmed if the transcript cannot be read', async () => {
  const { ask, ran, stop, requests, record } = await box()
  ask('touch a', { transcript_path: '/nowhere/x.jsonl' })
  ran('touch a', 'one')
  stop()
  vi.advanceTimersByTime(2_000)
  requests.end()
  expect(record()).toEqual(['allow rule?'])
})

test("a subagent's request is confirmed at once, because only the hook can answer it", async () => {
  const { ask, record } = await box()
  ask('touch a', { agent_id: 'agent-1' })
  expect(record()).toEqual(['allow rule'])
})
