import { closeSync, constants, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { AgentStatus } from '../../src/claude/agent-report.ts'
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

/** Requests that only their dialogs can answer, with a clock that only the test moves. */
async function requestsBox(settings: object = {}, repo: string | null = null) {
  const paths = pathsAt(temporaryDirectory())
  const id = newMissionId()
  const db = await openStore(paths.database)
  onTestFinished(() => void db.close())
  insertMission(db, aMission({ id }))
  const text = JSON.stringify(settings)
  writeFileSync(paths.config, text)
  const parsed = parseConfig(text)
  if (!parsed.ok) throw new Error(parsed.problem.message)
  const asksDirectory = join(paths.home, 'ask')
  mkdirSync(asksDirectory)
  let nowMs = 1_000
  const log = () => {}
  const onHandedOver = vi.fn()
  const current = new CurrentSettings(paths, parsed.config)
  const rules = new RuleEngine(
    db,
    { id, repo, dir: null, agent_repos: null },
    paths,
    current,
    guardedPlaces({ paths, env: { HOME: paths.home } }),
    log,
  )
  await rules.makeReady()
  const requests = new Requests(rules, new ApprovalLog(db, id, () => new Date(nowMs), log), log)
  requests.onHandedOver = onHandedOver
  return {
    db,
    rules,
    requests,
    onHandedOver,
    /** A hook that waits for its answer until `leave` is called. */
    waitingHook: () => {
      const fifo = join(asksDirectory, '1')
      systemRunner.capture('mkfifo', [fifo])
      const hook = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK)
      return { leave: () => closeSync(hook), hears: () => readFileSync(hook, 'utf8') }
    },
    at: (ms: number) => {
      nowMs = ms
    },
    hook: (name: string, more: object = {}) => {
      const report = hookReport(JSON.parse(JSON.stringify({ hook_event_name: name, ...more })), [])!
      return requests.take(report, openReplyChannel(asksDirectory, '1', report.kind))
    },
    record: () => listApprovals(db).map(({ decision, decided_by }) => `${decision} ${decided_by}`),
  }
}

const status = (activity: AgentStatus['activity'], updatedAtMs: number): AgentStatus => ({
  activity,
  dialog: null,
  updatedAtMs,
  userName: null,
})

const read = (file: string, agent?: string) => ({
  tool_name: 'Read',
  tool_input: { file_path: file },
  agent_id: agent,
})

test('of two open requests, the one whose tool ran was allowed and the other stays open', async () => {
  const box = await requestsBox()
  box.hook('PermissionRequest', read('/a'))
  box.hook('PermissionRequest', read('/b'))
  box.hook('PostToolUse', read('/c'))
  expect(box.record()).toEqual(['ask null', 'ask null'])
  box.hook('PostToolUse', read('/b'))
  expect(box.record()).toEqual(['ask null', 'allow user'])
  expect(box.requests.hasOpen).toBe(true)
})

test('a status that is older than the request does not settle it', async () => {
  const box = await requestsBox()
  box.hook('PermissionRequest', read('/a'))
  box.requests.seeStatus(status('busy', 900))
  expect(box.record()).toEqual(['ask null'])
  box.requests.seeStatus(status('waiting', 1_001))
  box.requests.seeStatus(status('busy', 1_200))
  expect(box.record()).toEqual(['allow user'])
})

test('a status settles a request although the clock was set back after the request', async () => {
  const box = await requestsBox()
  box.requests.seeStatus(status('busy', 900))
  box.hook('PermissionRequest', read('/a'))
  box.requests.seeStatus(status('waiting', 300))
  expect(box.record()).toEqual(['ask null'])
  box.requests.seeStatus(status('busy', 400))
  expect(box.record()).toEqual(['allow user'])
})

test('a change from waiting to idle means that the user denied the request', async () => {
  const box = await requestsBox()
  box.hook('PermissionRequest', read('/a'))
  box.requests.seeStatus(status('idle', 1_200))
  expect(box.record()).toEqual(['deny user'])
})

test("a subagent's request is not settled before its dialog has been seen", async () => {
  const box = await requestsBox()
  box.hook('PermissionRequest', read('/a', 'agent-1'))
  box.requests.seeStatus(status('busy', 1_100))
  box.hook('Stop')
  box.hook('PostToolUse', read('/a'))
  expect(box.record()).toEqual(['ask null'])
  box.requests.seeStatus(status('waiting', 1_200))
  box.requests.seeStatus(status('busy', 1_300))
  expect(box.record()).toEqual(['allow user'])
})

test('a question counts as answered although its input comes back with answers added', async () => {
  const box = await requestsBox()
  box.hook('PermissionRequest', { tool_name: 'AskUserQuestion', tool_input: { questions: [] } })
  box.hook('PostToolUse', { tool_name: 'AskUserQuestion', tool_input: { questions: [], answers: {} } })
  expect(box.record()).toEqual(['allow user'])
})

test('the end of the session times out open requests', async () => {
  const box = await requestsBox()
  box.hook('PermissionRequest', read('/a'))
  box.at(4_000)
  box.hook('SessionEnd')
  expect(box.record()).toEqual(['ask timeout'])
  expect(box.requests.hasOpen).toBe(false)
})

describe('a rule that allows after a delay', () => {
  const allowing = {
    approvals: { mode: 'rules', delay_ms: 100, rules: [{ tool: 'Read', decision: 'allow' }] },
  }

  test('does not call the user while its hook waits, and hands the request over if the hook leaves', async () => {
    const box = await requestsBox(allowing)
    const hook = box.waitingHook()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    box.hook('PermissionRequest', read('/a'))
    expect(box.requests.isHandled).toBe(true)
    hook.leave()
    vi.advanceTimersByTime(100)
    expect(box.onHandedOver).toHaveBeenCalledOnce()
    expect([box.requests.isHandled, box.record()]).toEqual([false, ['ask null']])
  })

  test('cannot answer if no hook waits', async () => {
    const box = await requestsBox(allowing)
    box.hook('PermissionRequest', read('/a'))
    expect([box.requests.hasOpen, box.requests.isHandled]).toEqual([true, false])
  })
})

test('an unreadable store leaves the request to the user and releases the hook', async () => {
  const box = await requestsBox({ approvals: { mode: 'all' } })
  const hook = box.waitingHook()
  onTestFinished(() => hook.leave())
  box.db.exec('ALTER TABLE missions RENAME TO away')
  expect(box.rules.isReady).toBe(true)
  await box.rules.makeReady()
  expect(box.hook('PermissionRequest', read('/a', 'agent-1'))).toBe(false)
  expect(hook.hears()).toBe('\n')
  box.db.exec('ALTER TABLE away RENAME TO missions')
  expect(box.record()).toEqual(['ask null'])
})

test('the store never holds a secret of a request, not even one at the end of a long text', async () => {
  const box = await requestsBox()
  const secret = `ghp_${'a1B2'.repeat(9)}`
  box.hook('PermissionRequest', {
    tool_name: 'Bash',
    tool_input: {
      command: `curl -H 'Authorization: Bearer ${secret}' https://bob:hunter2@example.com/x`,
      password: 'hunter2',
      description: `${'word '.repeat(3_998)} ${secret} and more`,
    },
  })
  const [stored] = box.db.prepare<[], string>('SELECT input FROM approvals').pluck().all()
  expect(stored).not.toMatch(/hunter2|ghp_|a1B2/)
  expect(JSON.parse(stored!).command).toBe(
    "curl -H 'Authorization: Bearer ***' https://bob:***@example.com/x",
  )
})

test('a rule for one repo applies to missions on it only, and keeps its place among the rules', async () => {
  const app = 'github.com/acme/app'
  const own = { tool: 'Bash', match: 'make*', decision: 'deny', repo: app }
  const all = { tool: 'Bash', match: 'ls*', decision: 'allow' }
  const approvals = { mode: 'rules', rules: [own, all] }
  const use = (command: string) => ({ id: null, tool: 'Bash', input: { command }, cwd: null })
  const { rules: here } = await requestsBox({ approvals }, app)
  expect(here.rule(use('make'))).toMatchObject({ decision: 'deny', rule: own })
  expect(here.objection(use('make'))).toMatchObject({ decision: 'deny', rule: own })
  for (const repo of [null, 'github.com/acme/application']) {
    const { rules } = await requestsBox({ approvals }, repo)
    expect(rules.rule(use('make'))).toMatchObject({ decision: 'ask', rule: null })
    expect(rules.objection(use('make'))).toBeNull()
    expect(rules.rule(use('ls'))).toMatchObject({ decision: 'allow', rule: all })
  }
})
