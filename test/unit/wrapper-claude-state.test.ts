import { describe, expect, test } from 'vitest'
import type { AgentStatus } from '../../src/claude/agent-report.ts'
import { hookReport } from '../../src/claude/hook-report.ts'
import { parseStatusFile } from '../../src/claude/status-file.ts'
import type { MissionRecord } from '../../src/db/missions.ts'
import {
  afterReport,
  afterStatus,
  type ClaudeState,
  isNews,
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

/** Applies reports in order. `Name {json}` is a hook; `= status [waitingFor]` is the status file. */
function stateFollowing(live: ClaudeState, ...reports: string[]): ClaudeState {
  return reports.reduce((known, report, index) => {
    if (report.startsWith('=')) return afterStatus(known, statusOf(report.slice(1).trim(), index + 1))
    const [name, json = '{}'] = report.split(/ (.*)/s)
    const fields = { hook_event_name: name, session_id: known.sessionId, ...JSON.parse(json) }
    return afterReport(known, hookReport(fields, [])!)
  }, live)
}

test('a status counts although the clock was set back', () => {
  const busy = afterStatus(stateAtStart(mission, false), statusOf('busy', 3_600_000))
  const idle = statusOf('idle', 5)
  expect(isNews(busy, idle)).toBe(true)
  expect(afterStatus(busy, idle).state).toBe('idle')
  expect(isNews(afterStatus(busy, idle), idle)).toBe(false)
})

function statusOf(text: string, statusUpdatedAt: number): AgentStatus {
  const [status = '', waitingFor] = text.split(/ (.*)/s)
  return parseStatusFile(JSON.stringify({ status, waitingFor, statusUpdatedAt }))!
}

const stateAfter = (...reports: string[]) => {
  const { state, waitingFor, background } = stateFollowing(stateAtStart(mission, false), ...reports)
  return [state, waitingFor, ...(background ? ['background'] : [])].filter(Boolean).join(' ')
}

const asks = (tool: string, extra = {}) =>
  `PermissionRequest ${JSON.stringify({ tool_name: tool, ...extra })}`
const tasks = 'Stop {"background_tasks":[{"id":"b1","type":"shell"}]}'
const agent = { agent_id: 'a1' }

describe('the state with hooks and a status file', () => {
  test.each<[string, string[], string]>([
    ['before the first report', [], 'starting'],
    ['after the session has opened', ['SessionStart {"source":"startup"}', '= idle'], 'idle'],
    ['during a turn', ['SessionStart', '= idle', 'UserPromptSubmit', '= busy'], 'busy'],
    ['after an interruption, which sends no hook', ['UserPromptSubmit', '= busy', '= idle'], 'idle'],
    [
      'at a permission dialog',
      ['UserPromptSubmit', '= busy', asks('Bash'), '= waiting permission prompt'],
      'waiting permission',
    ],
    ['after the user allowed a request', [asks('Bash'), '= waiting permission prompt', '= busy'], 'busy'],
    ['after the user denied a request', [asks('Bash'), '= waiting permission prompt', '= idle'], 'idle'],
    [
      'at a plan, which the status file calls a permission',
      [asks('ExitPlanMode'), '= waiting permission prompt'],
      'waiting plan',
    ],
    ['at a question', [asks('AskUserQuestion'), '= waiting input needed'], 'waiting question'],
    ['at a question that no hook reported', ['= waiting input needed'], 'waiting question'],
    ['at any other dialog', ['SessionStart', '= idle', '= waiting dialog open'], 'waiting input'],
    [
      'when another tool ends while a dialog is open',
      [asks('WebFetch'), '= waiting permission prompt', 'PostToolUse {"tool_name":"Read"}'],
      'waiting permission',
    ],
    ['when the session opens behind a dialog', ['= waiting dialog open', 'SessionStart'], 'waiting input'],
    [
      'when the conversation is compacted during a turn',
      ['UserPromptSubmit', '= busy', 'SessionStart {"source":"compact"}'],
      'busy',
    ],
    ['with a shell in the background', ['= busy', tasks, '= shell'], 'idle background'],
    ['after the background shell has ended', [tasks, '= shell', '= idle'], 'idle'],
    [
      'with a background task that only the status file reports',
      ['SessionStart', '= idle', '= shell'],
      'idle background',
    ],
    [
      'with a subagent in the background, while the status file stays busy',
      ['UserPromptSubmit', '= busy', tasks],
      'idle background',
    ],
    [
      'when a background subagent goes on after its request was answered',
      ['UserPromptSubmit', '= busy', tasks, asks('Write', agent), '= waiting permission prompt', '= busy'],
      'idle background',
    ],
    [
      'when the user sends a prompt while a task runs in the background',
      ['= busy', tasks, '= shell', 'UserPromptSubmit', '= busy'],
      'busy',
    ],
    [
      'when a subagent ends during a turn',
      ['UserPromptSubmit', '= busy', `Stop ${JSON.stringify(agent)}`],
      'busy',
    ],
    [
      'before a subagent’s request opens its dialog',
      ['UserPromptSubmit', '= busy', asks('Write', agent)],
      'busy',
    ],
    [
      'after a late notification, which changes nothing',
      ['= busy', 'Notification {"notification_type":"permission_prompt"}'],
      'busy',
    ],
    ['after a status older than the last hook', ['UserPromptSubmit', '= idle', 'UserPromptSubmit'], 'busy'],
    ['after a status of an unknown name', ['UserPromptSubmit', '= dreaming'], 'busy'],
  ])('%s', (_title, reports, expected) => {
    expect(stateAfter(...reports)).toBe(expected)
  })
})

describe('the state with hooks alone', () => {
  test.each<[string, string[], string]>([
    ['after the session has opened', ['SessionStart'], 'idle'],
    ['during a turn', ['SessionStart', 'UserPromptSubmit'], 'busy'],
    ['at a permission dialog', ['UserPromptSubmit', asks('Bash')], 'waiting permission'],
    ['after the tool has run', [asks('Bash'), 'PostToolUse {"tool_name":"Bash"}'], 'busy'],
    ['after the tool has failed', [asks('Bash'), 'PostToolUseFailure {"tool_name":"Bash"}'], 'busy'],
    ['at a question, before its request', ['PreToolUse {"tool_name":"AskUserQuestion"}'], 'waiting question'],
    ['at a subagent’s request', ['UserPromptSubmit', asks('Write', agent)], 'waiting permission'],
    [
      'after a subagent’s tool has run',
      [
        'UserPromptSubmit',
        asks('Write', agent),
        `PostToolUse ${JSON.stringify({ tool_name: 'Write', ...agent })}`,
      ],
      'busy',
    ],
    ['after the turn', ['UserPromptSubmit', 'Stop'], 'idle'],
    ['after the turn, with a task in the background', ['UserPromptSubmit', tasks], 'idle background'],
    ['after the API failed', ['UserPromptSubmit', 'StopFailure'], 'idle'],
    [
      'when an old version asks for permission',
      ['UserPromptSubmit', 'Notification {"notification_type":"permission_prompt"}'],
      'waiting permission',
    ],
    [
      'when an old version is idle',
      ['UserPromptSubmit', 'Notification {"notification_type":"idle_prompt"}'],
      'idle',
    ],
  ])('%s', (_title, reports, expected) => {
    expect(stateAfter(...reports)).toBe(expected)
  })
})

test('the mission waits for trust until the conversation opens', () => {
  const asking = stateAtStart(mission, true)
  expect(asking).toMatchObject({ state: 'waiting', waitingFor: 'trust' })
  expect(stateFollowing(asking, 'SessionStart')).toMatchObject({ state: 'idle', waitingFor: null })
})

describe('the first prompt', () => {
  test.each<[string, string[], boolean]>([
    ['has not been taken', ['SessionStart', '= idle'], false],
    ['was taken as a prompt', ['SessionStart', 'UserPromptSubmit'], true],
    ['was taken as a command, which sends no hook', ['SessionStart', '= busy'], true],
  ])('%s', (_title, reports, expected) => {
    expect(stateFollowing(stateAtStart(mission, false), ...reports).promptTaken).toBe(expected)
  })
})

describe('the current conversation', () => {
  const begun = { ...mission, session_begun: 1 } as MissionRecord
  const conversationAfter = (start: MissionRecord, ...reports: string[]) => {
    const { sessionId, sessionBegun, forkedFrom } = stateFollowing(stateAtStart(start, false), ...reports)
    return { sessionId, sessionBegun, forkedFrom }
  }
  const opens = (session_id: string | undefined, source: string) =>
    `SessionStart ${JSON.stringify({ session_id, source })}`

  test('is a new, empty one after /clear', () => {
    const reports = ['SessionEnd {"reason":"clear"}', opens(second, 'clear')]
    expect(conversationAfter(begun, ...reports)).toEqual({
      sessionId: second,
      sessionBegun: false,
      forkedFrom: null,
    })
  })
  test('is known from its end if Claude exits right after /clear', () => {
    const end = `SessionEnd ${JSON.stringify({ session_id: second, reason: 'prompt_input_exit' })}`
    expect(conversationAfter(begun, 'SessionEnd {"reason":"clear"}', end).sessionId).toBe(second)
  })
  test('is one that has begun after /resume', () => {
    const reports = ['SessionEnd {"reason":"resume"}', opens(second, 'resume')]
    expect(conversationAfter(begun, ...reports)).toMatchObject({ sessionId: second, sessionBegun: true })
  })
  test('is a fork after /branch, and remembers the last conversation that has begun', () => {
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
  test('is not taken from a subagent’s report', () => {
    const report = `PostToolUse ${JSON.stringify({ session_id: second, ...agent })}`
    expect(conversationAfter(begun, report).sessionId).toBe(first)
  })
  test('is not taken from an id that is not a UUID', () => {
    expect(conversationAfter(begun, 'SessionStart {"session_id":"--danger"}').sessionId).toBe(first)
  })
})

describe('the permission mode', () => {
  const at = '2030-01-01T00:00:00.000Z'
  const reported = (permission_mode: string, extra = {}) =>
    `UserPromptSubmit ${JSON.stringify({ permission_mode, ...extra })}`
  const set = (mode: string | null) => ({ set: mode })
  /** The mode that each report would write to the store. `set` stands for `agenc mission set` in between. */
  const stored = (start: ClaudeState, ...acts: (string | ReturnType<typeof set>)[]) => {
    let live = start
    let inStore = start.storedMode
    return acts.flatMap(act => {
      if (typeof act !== 'string') {
        inStore = act.set
        return []
      }
      const next = withStoredMode(live, stateFollowing(live, act), inStore)
      const { permission_mode } = recordDiff(live, next, mission, at)
      if (permission_mode !== undefined) inStore = permission_mode
      live = next
      return [permission_mode]
    })
  }
  const fresh = stateAtStart(mission, false)

  test('is not stored when first reported', () => {
    expect(stored(fresh, reported('auto'))).toEqual([undefined])
  })
  test('is stored when it changes, and no longer stored when it changes back', () => {
    const modes = [reported('auto'), reported('plan'), reported('plan'), reported('auto')]
    expect(stored(fresh, ...modes)).toEqual([undefined, 'plan', undefined, null])
  })
  test('changes back to the alias that was set', () => {
    const aliased = { ...mission, permission_mode: 'allowedTools' } as MissionRecord
    const modes = [reported('default'), reported('acceptEdits'), reported('default')]
    expect(stored(stateAtStart(aliased, false), ...modes)).toEqual([undefined, 'acceptEdits', 'allowedTools'])
  })
  test('that a command has set is kept until Claude’s mode changes, and again when it changes back', () => {
    const [rest, walk] = [reported('default'), reported('acceptEdits')]
    expect(stored(fresh, rest, set('plan'), rest)).toEqual([undefined, undefined])
    expect(stored(fresh, rest, set('plan'), walk, rest)).toEqual([undefined, 'acceptEdits', 'plan'])
    expect(stored(fresh, set('plan'), rest, walk, rest)).toEqual([undefined, 'acceptEdits', 'plan'])
    const started = stateAtStart({ ...mission, permission_mode: 'default' }, false)
    expect(stored(started, rest, set(null), walk, rest)).toEqual([undefined, 'acceptEdits', null])
  })
  test('that Claude changes to is newer than one that a command set before', () => {
    const [rest, walk] = [reported('default'), reported('acceptEdits')]
    expect(stored(fresh, rest, walk, set('plan'), rest)).toEqual([undefined, 'acceptEdits', 'default'])
    expect(stored(fresh, rest, walk, set('plan'), rest, walk)).toEqual([
      undefined,
      'acceptEdits',
      'default',
      'plan',
    ])
  })
  test('is not taken from a subagent’s report', () => {
    expect(stored(fresh, reported('auto'), reported('plan', agent))).toEqual([undefined, undefined])
  })
  test('that a killed wrapper did not read is compared with the one it had stored', () => {
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
  test('is stored after /rename, not when Claude reports the one it was started with', () => {
    const started = { ...mission, name: 'login' } as MissionRecord
    expect(change(started, null, 'login', 'logout')).toEqual([undefined, undefined, 'logout'])
  })
  test('is not stored if Claude made it up', () => {
    expect(change(mission, null)).toEqual([undefined])
  })
})
