import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parseHookEvent } from '../../src/claude/hook-event.ts'
import { defaultConfig } from '../../src/config/parse.ts'
import { listApprovals } from '../../src/db/approvals.ts'
import { openStore } from '../../src/db/open.ts'
import { newMissionId } from '../../src/mission/id.ts'
import { pathsAt } from '../../src/paths.ts'
import { CurrentSettings } from '../../src/wrapper/current-settings.ts'
import { Judge } from '../../src/wrapper/judge.ts'
import { Register } from '../../src/wrapper/register.ts'
import { Requests } from '../../src/wrapper/requests.ts'
import { temporaryDirectory } from '../helpers/cli.ts'

/** Requests whose dialogs alone can answer them, with a clock that stands unless it is moved. */
async function requestsBox() {
  const paths = pathsAt(temporaryDirectory())
  const id = newMissionId()
  const db = await openStore(paths.database)
  onTestFinished(() => void db.close())
  let nowMs = 1_000
  const log = () => {}
  const requests = new Requests({
    judge: new Judge(
      db,
      id,
      paths,
      new CurrentSettings(paths, defaultConfig, join(paths.home, 'undenied')),
      log,
    ),
    register: new Register(db, id, () => new Date(nowMs), log),
    log,
    asksDirectory: join(paths.home, 'nowhere'),
    onAnswered: () => {},
    onHandedOver: () => {},
  })
  return {
    requests,
    at: (ms: number) => {
      nowMs = ms
    },
    hook: (name: string, more: object = {}) =>
      requests.take(parseHookEvent(JSON.stringify({ hook_event_name: name, ...more }))!, '1'),
    record: () => listApprovals(db).map(({ decision, decided_by }) => `${decision} ${decided_by}`),
  }
}

const read = (file: string, agent?: string) => ({
  tool_name: 'Read',
  tool_input: { file_path: file },
  agent_id: agent,
})

test('of two at once, the tool that has run was allowed and the other still waits', async () => {
  const box = await requestsBox()
  box.hook('PermissionRequest', read('/a'))
  box.hook('PermissionRequest', read('/b'))
  box.hook('PostToolUse', read('/c'))
  expect(box.record()).toEqual(['ask null', 'ask null'])
  box.hook('PostToolUse', read('/b'))
  expect(box.record()).toEqual(['ask null', 'allow user'])
  expect(box.requests.hasOpen).toBe(true)
})

test('a status from before the request says nothing about it', async () => {
  const box = await requestsBox()
  box.hook('PermissionRequest', read('/a'))
  box.requests.seeStatus('busy', 900)
  expect(box.record()).toEqual(['ask null'])
  box.requests.seeStatus('waiting', 1_001)
  box.requests.seeStatus('busy', 1_200)
  expect(box.record()).toEqual(['allow user'])
})

test('from the dialog straight to rest: the user said no', async () => {
  const box = await requestsBox()
  box.hook('PermissionRequest', read('/a'))
  box.requests.seeStatus('idle', 1_200)
  expect(box.record()).toEqual(['deny user'])
})

test("a subagent's request is not settled before its dialog was seen", async () => {
  const box = await requestsBox()
  box.hook('PermissionRequest', read('/a', 'agent-1'))
  box.requests.seeStatus('busy', 1_100)
  box.hook('Stop')
  box.hook('PostToolUse', read('/a'))
  expect(box.record()).toEqual(['ask null'])
  box.requests.seeStatus('waiting', 1_200)
  box.requests.seeStatus('busy', 1_300)
  expect(box.record()).toEqual(['allow user'])
})

test('a question comes back with its answers, and counts as answered', async () => {
  const box = await requestsBox()
  box.hook('PermissionRequest', { tool_name: 'AskUserQuestion', tool_input: { questions: [] } })
  box.hook('PostToolUse', { tool_name: 'AskUserQuestion', tool_input: { questions: [], answers: {} } })
  expect(box.record()).toEqual(['allow user'])
})

test('the end of the session ends the waiting, and how long it took is on record', async () => {
  const box = await requestsBox()
  box.hook('PermissionRequest', read('/a'))
  box.at(4_000)
  box.hook('SessionEnd')
  expect(box.record()).toEqual(['ask timeout'])
  expect(box.requests.hasOpen).toBe(false)
})
