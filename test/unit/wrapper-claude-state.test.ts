import { describe, expect, test } from 'vitest'
import { hookReport } from '../../src/claude/hook-report.ts'
import type { AgentStatus } from '../../src/claude/report.ts'
import { parseStatusFile } from '../../src/claude/status-file.ts'
import type { MissionRecord } from '../../src/db/missions.ts'
import {
  afterReport,
  afterStatus,
  type ClaudeState,
  stateAfterCrash,
  stateAtStart,
  withStoredMode,
} from '../../src/wrapper/claude-state.ts'
import { recordDiff } from '../../src/wrapper/record-diff.ts'

const [first, second, third] = [1, 2, 3].map(n => `${n}`.repeat(8).concat('-0000-4000-8000-000000000000'))

const mission = {
  session_id: first,
  session_begun: 0,
  forked_session_id: null,
  transcript_path: null,
  permission_mode: null,
  reported_permission_mode: null,
  name: null,
} as unknown as MissionRecord

/** `Name {json}` is a hook, `= word [waitingFor]` a word of the status file. */
function follow(live: ClaudeState, ...reports: string[]): ClaudeState {
  return reports.reduce((known, report, index) => {
    if (report.startsWith('=')) return afterStatus(known, statusOf(report.slice(1).trim(), index + 1))
    const [name, json = '{}'] = report.split(/ (.*)/s)
    const fields = { hook_event_name: name, session_id: known.sessionId, ...JSON.parse(json) }
    return afterReport(known, hookReport(fields, [])!)
  }, live)
}

function statusOf(text: string, statusUpdatedAt: number): AgentStatus {
  const [status = '', waitingFor] = text.split(/ (.*)/s)
  return parseStatusFile(JSON.stringify({ status, waitingFor, statusUpdatedAt }))!
}

const stateAfter = (...reports: string[]) => {
  const { state, waitingFor, background } = follow(stateAtStart(mission, false), ...reports)
  return [state, waitingFor, ...(background ? ['background'] : [])].filter(Boolean).join(' ')
}

const asks = (tool: string, extra = {}) =>
  `PermissionRequest ${JSON.stringify({ tool_name: tool, ...extra })}`
const tasks = 'Stop {"background_tasks":[{"id":"b1","type":"shell"}]}'
const agent = { agent_id: 'a1' }

describe('what Claude is doing, with a status file', () => {
  test.each<[string, string[], string]>([
    ['nothing heard yet', [], 'starting'],
    ['open', ['SessionStart {"source":"startup"}', '= idle'], 'idle'],
    ['at work', ['SessionStart', '= idle', 'UserPromptSubmit', '= busy'], 'busy'],
    ['interrupted: no hook tells', ['UserPromptSubmit', '= busy', '= idle'], 'idle'],
    [
      'asking',
      ['UserPromptSubmit', '= busy', asks('Bash'), '= waiting permission prompt'],
      'waiting permission',
    ],
    ['answered', [asks('Bash'), '= waiting permission prompt', '= busy'], 'busy'],
    ['turned down', [asks('Bash'), '= waiting permission prompt', '= idle'], 'idle'],
    [
      'a plan is told from a permission',
      [asks('ExitPlanMode'), '= waiting permission prompt'],
      'waiting plan',
    ],
    ['a question', [asks('AskUserQuestion'), '= waiting input needed'], 'waiting question'],
    ['a question that no hook told of', ['= waiting input needed'], 'waiting question'],
    ['any other dialog', ['SessionStart', '= idle', '= waiting dialog open'], 'waiting input'],
    [
      'another tool ends beside a dialog',
      [asks('WebFetch'), '= waiting permission prompt', 'PostToolUse {"tool_name":"Read"}'],
      'waiting permission',
    ],
    ['the session opens under a dialog', ['= waiting dialog open', 'SessionStart'], 'waiting input'],
    [
      'compacting in the middle of a turn',
      ['UserPromptSubmit', '= busy', 'SessionStart {"source":"compact"}'],
      'busy',
    ],
    ['a shell in the background', ['= busy', tasks, '= shell'], 'idle background'],
    ['the shell has ended', [tasks, '= shell', '= idle'], 'idle'],
    ['told only by the file', ['SessionStart', '= idle', '= shell'], 'idle background'],
    ['a subagent goes on: the file stays busy', ['UserPromptSubmit', '= busy', tasks], 'idle background'],
    [
      'a subagent asks, is answered and goes on',
      ['UserPromptSubmit', '= busy', tasks, asks('Write', agent), '= waiting permission prompt', '= busy'],
      'idle background',
    ],
    [
      'the user goes on beside the background',
      ['= busy', tasks, '= shell', 'UserPromptSubmit', '= busy'],
      'busy',
    ],
    [
      "a subagent's end is not the end",
      ['UserPromptSubmit', '= busy', `Stop ${JSON.stringify(agent)}`],
      'busy',
    ],
    ['a subagent about to ask', ['UserPromptSubmit', '= busy', asks('Write', agent)], 'busy'],
    [
      'late notifications say nothing',
      ['= busy', 'Notification {"notification_type":"permission_prompt"}'],
      'busy',
    ],
    ['an older word of the file', ['UserPromptSubmit', '= idle', 'UserPromptSubmit'], 'busy'],
    ['a word nobody knows', ['UserPromptSubmit', '= dreaming'], 'busy'],
  ])('%s', (_title, reports, expected) => {
    expect(stateAfter(...reports)).toBe(expected)
  })
})

describe('what Claude is doing, from hooks alone', () => {
  test.each<[string, string[], string]>([
    ['open', ['SessionStart'], 'idle'],
    ['at work', ['SessionStart', 'UserPromptSubmit'], 'busy'],
    ['asking', ['UserPromptSubmit', asks('Bash')], 'waiting permission'],
    ['answered', [asks('Bash'), 'PostToolUse {"tool_name":"Bash"}'], 'busy'],
    ['failed', [asks('Bash'), 'PostToolUseFailure {"tool_name":"Bash"}'], 'busy'],
    ['a question, before any request', ['PreToolUse {"tool_name":"AskUserQuestion"}'], 'waiting question'],
    ['a subagent asks', ['UserPromptSubmit', asks('Write', agent)], 'waiting permission'],
    [
      'a subagent was answered',
      [
        'UserPromptSubmit',
        asks('Write', agent),
        `PostToolUse ${JSON.stringify({ tool_name: 'Write', ...agent })}`,
      ],
      'busy',
    ],
    ['done', ['UserPromptSubmit', 'Stop'], 'idle'],
    ['done, with something going on', ['UserPromptSubmit', tasks], 'idle background'],
    ['the API failed', ['UserPromptSubmit', 'StopFailure'], 'idle'],
    [
      'an old version asks',
      ['UserPromptSubmit', 'Notification {"notification_type":"permission_prompt"}'],
      'waiting permission',
    ],
    [
      'an old version is idle',
      ['UserPromptSubmit', 'Notification {"notification_type":"idle_prompt"}'],
      'idle',
    ],
  ])('%s', (_title, reports, expected) => {
    expect(stateAfter(...reports)).toBe(expected)
  })
})

test('before the conversation opens Claude asks for trust, and then no more', () => {
  const asking = stateAtStart(mission, true)
  expect(asking).toMatchObject({ state: 'waiting', waitingFor: 'trust' })
  expect(follow(asking, 'SessionStart')).toMatchObject({ state: 'idle', waitingFor: null })
})

describe('the prompt Claude was started with', () => {
  test.each<[string, string[], boolean]>([
    ['has not been taken', ['SessionStart', '= idle'], false],
    ['was taken as a prompt', ['SessionStart', 'UserPromptSubmit'], true],
    ['was taken as a command, of which no hook tells', ['SessionStart', '= busy'], true],
  ])('%s', (_title, reports, expected) => {
    expect(follow(stateAtStart(mission, false), ...reports).promptTaken).toBe(expected)
  })
})

describe('which conversation it is', () => {
  const begun = { ...mission, session_begun: 1 } as MissionRecord
  const conversationAfter = (start: MissionRecord, ...reports: string[]) => {
    const { sessionId, sessionBegun, forkedFrom } = follow(stateAtStart(start, false), ...reports)
    return { sessionId, sessionBegun, forkedFrom }
  }
  const opens = (session_id: string | undefined, source: string) =>
    `SessionStart ${JSON.stringify({ session_id, source })}`

  test('/clear begins another, in which nothing was said', () => {
    const reports = ['SessionEnd {"reason":"clear"}', opens(second, 'clear')]
    expect(conversationAfter(begun, ...reports)).toEqual({
      sessionId: second,
      sessionBegun: false,
      forkedFrom: null,
    })
  })
  test('left right after /clear, only the end names the new one', () => {
    const end = `SessionEnd ${JSON.stringify({ session_id: second, reason: 'prompt_input_exit' })}`
    expect(conversationAfter(begun, 'SessionEnd {"reason":"clear"}', end).sessionId).toBe(second)
  })
  test('/resume goes to one that was begun', () => {
    const reports = ['SessionEnd {"reason":"resume"}', opens(second, 'resume')]
    expect(conversationAfter(begun, ...reports)).toMatchObject({ sessionId: second, sessionBegun: true })
  })
  test('/branch remembers where, also from a branch in which nothing was said', () => {
    const branch = opens(second, 'fork')
    expect(conversationAfter(begun, branch)).toEqual({
      sessionId: second,
      sessionBegun: false,
      forkedFrom: first,
    })
    expect(conversationAfter(begun, branch, opens(third, 'fork'))).toMatchObject({
      sessionId: third,
      forkedFrom: first,
    })
  })
  test('what a subagent reports is not the conversation', () => {
    const report = `PostToolUse ${JSON.stringify({ session_id: second, ...agent })}`
    expect(conversationAfter(begun, report).sessionId).toBe(first)
  })
  test('an id that is none is not believed', () => {
    expect(conversationAfter(begun, 'SessionStart {"session_id":"--danger"}').sessionId).toBe(first)
  })
})

describe('the permission mode', () => {
  const at = '2030-01-01T00:00:00.000Z'
  const reported = (permission_mode: string, extra = {}) =>
    `UserPromptSubmit ${JSON.stringify({ permission_mode, ...extra })}`
  const set = (mode: string | null) => ({ set: mode })
  /** What would be written to the store, report by report; `set` is `agenc mission set` meanwhile. */
  const stored = (start: ClaudeState, ...acts: (string | ReturnType<typeof set>)[]) => {
    let live = start
    let inStore = start.storedMode
    return acts.flatMap(act => {
      if (typeof act !== 'string') {
        inStore = act.set
        return []
      }
      const next = withStoredMode(live, follow(live, act), inStore)
      const { permission_mode } = recordDiff(live, next, mission, at)
      if (permission_mode !== undefined) inStore = permission_mode
      live = next
      return [permission_mode]
    })
  }
  const fresh = stateAtStart(mission, false)

  test('the first one reported is only followed', () => {
    expect(stored(fresh, reported('auto'))).toEqual([undefined])
  })
  test('a change is kept, and the way back gives the decision back', () => {
    const modes = [reported('auto'), reported('plan'), reported('plan'), reported('auto')]
    expect(stored(fresh, ...modes)).toEqual([undefined, 'plan', undefined, null])
  })
  test('an alias comes back as it was', () => {
    const aliased = { ...mission, permission_mode: 'allowedTools' } as MissionRecord
    const modes = [reported('default'), reported('acceptEdits'), reported('default')]
    expect(stored(stateAtStart(aliased, false), ...modes)).toEqual([undefined, 'acceptEdits', 'allowedTools'])
  })
  test('what is set meanwhile holds while the mode stays, and after a walk all the way round', () => {
    const [rest, walk] = [reported('default'), reported('acceptEdits')]
    expect(stored(fresh, rest, set('plan'), rest)).toEqual([undefined, undefined])
    expect(stored(fresh, rest, set('plan'), walk, rest)).toEqual([undefined, 'acceptEdits', 'plan'])
    expect(stored(fresh, set('plan'), rest, walk, rest)).toEqual([undefined, 'acceptEdits', 'plan'])
    const started = stateAtStart({ ...mission, permission_mode: 'default' }, false)
    expect(stored(started, rest, set(null), walk, rest)).toEqual([undefined, 'acceptEdits', null])
  })
  test('set in a mode that was walked to: the way on, also to the first one, is newer', () => {
    const [rest, walk] = [reported('default'), reported('acceptEdits')]
    expect(stored(fresh, rest, walk, set('plan'), rest)).toEqual([undefined, 'acceptEdits', 'default'])
    expect(stored(fresh, rest, walk, set('plan'), rest, walk)).toEqual([
      undefined,
      'acceptEdits',
      'default',
      'plan',
    ])
  })
  test("a subagent's mode is its own", () => {
    expect(stored(fresh, reported('auto'), reported('plan', agent))).toEqual([undefined, undefined])
  })
  test('what a killed wrapper did not read is compared with what it had stored', () => {
    const crashed = { ...mission, reported_permission_mode: 'default' } as MissionRecord
    expect(stored(stateAfterCrash(crashed), reported('plan'))).toEqual(['plan'])
    expect(stored(stateAfterCrash(crashed), reported('default'))).toEqual([undefined])
  })
})

describe('the name', () => {
  const named = (userName: string | null, updatedAtMs: number): AgentStatus => ({
    activity: 'idle',
    dialog: null,
    updatedAtMs,
    userName,
  })
  const change = (record: MissionRecord, ...names: (string | null)[]) => {
    let live = stateAtStart(record, false)
    return names.map((name, index) => {
      const next = afterStatus(live, named(name, index + 1))
      const { name: stored } = recordDiff(live, next, record, '')
      live = next
      return stored
    })
  }
  test('the one it was started with is no news, /rename is', () => {
    const started = { ...mission, name: 'login' } as MissionRecord
    expect(change(started, null, 'login', 'logout')).toEqual([undefined, undefined, 'logout'])
  })
  test('one that Claude made up is not the user’s', () => {
    expect(change(mission, null)).toEqual([undefined])
  })
})
