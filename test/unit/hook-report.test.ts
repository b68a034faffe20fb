import { describe, expect, test } from 'vitest'
import { isForTheUser } from '../../src/approvals/tool-input.ts'
import { dialogTools, hookReport } from '../../src/claude/hook-report.ts'

const sessionId = '11111111-0000-4000-8000-000000000000'
const planDirectories = ['/home/me/.claude/plans']

/** The report of one hook with these fields. */
const report = (hook_event_name: string, fields: object = {}) =>
  hookReport({ hook_event_name, ...fields }, planDirectories)

describe('each hook becomes one kind of report', () => {
  test.each([
    ['SessionStart', 'opened'],
    ['UserPromptSubmit', 'prompt-taken'],
    ['PreToolUse', 'about-to-use'],
    ['PermissionRequest', 'asks'],
    ['PostToolUse', 'used'],
    ['PostToolUseFailure', 'used'],
    ['Stop', 'turn-ended'],
    ['StopFailure', 'turn-ended'],
    ['SubagentStop', 'subagent-ended'],
    ['SessionEnd', 'closed'],
    ['Notification', 'other'],
    ['AHookOfTheFuture', 'other'],
    ['constructor', 'other'],
  ])('%s: %s', (hook, kind) => {
    expect(report(hook)?.kind).toBe(kind)
  })

  test.each([
    ['clear', 'replaced'],
    ['resume', 'replaced'],
    ['logout', 'closed'],
    ['prompt_input_exit', 'closed'],
    [7, 'closed'],
  ])('SessionEnd with the reason %j: %s', (reason, kind) => {
    expect(report('SessionEnd', { reason })?.kind).toBe(kind)
  })

  test.each([
    ['permission_prompt', 'still-asks'],
    ['idle_prompt', 'still-idle'],
    ['auth_success', 'other'],
    [null, 'other'],
  ])('Notification of the type %j: %s', (notification_type, kind) => {
    expect(report('Notification', { notification_type })?.kind).toBe(kind)
  })

  test.each([
    ['startup', 'new'],
    ['clear', 'new'],
    ['resume', 'resumed'],
    ['fork', 'forked'],
    ['compact', 'compacted'],
    [undefined, 'new'],
  ])('SessionStart with the source %j: origin %s', (source, origin) => {
    expect(report('SessionStart', { source })).toMatchObject({ kind: 'opened', origin })
  })

  test.each([
    [[{ id: 'b1' }], true],
    [[], false],
    ['b1', false],
    [undefined, false],
  ])('Stop with the background tasks %j: %s', (background_tasks, hasBackgroundTasks) => {
    expect(report('Stop', { background_tasks })).toMatchObject({ hasBackgroundTasks })
  })
})

describe('what every report carries', () => {
  test('the subagent, the session, the transcript and the mode', () => {
    const fields = {
      agent_id: 'a1',
      session_id: sessionId,
      transcript_path: '/t.jsonl',
      permission_mode: 'plan',
      prompt: 'hello',
    }
    expect(report('UserPromptSubmit', fields)).toEqual({
      kind: 'prompt-taken',
      prompt: 'hello',
      agentId: 'a1',
      sessionId,
      transcriptPath: '/t.jsonl',
      mode: 'plan',
    })
  })

  test.each([
    ['missing', {}],
    ['empty', { agent_id: '', session_id: '', transcript_path: '', permission_mode: '' }],
    ['not text', { agent_id: 1, session_id: [], prompt: 1, transcript_path: {}, permission_mode: true }],
  ])('null for fields that are %s', (_title, fields) => {
    expect(report('UserPromptSubmit', fields)).toEqual({
      kind: 'prompt-taken',
      prompt: null,
      agentId: null,
      sessionId: null,
      transcriptPath: null,
      mode: null,
    })
  })

  test.each([
    '--dangerously-skip-permissions',
    '../../etc/passwd',
    `${sessionId}/..`,
    sessionId.slice(1),
    sessionId.replaceAll('1', 'G'),
  ])('no session id if it is %j, which is not a UUID', session_id => {
    expect(report('SessionStart', { session_id })?.sessionId).toBeNull()
  })
})

describe('tools', () => {
  test('a report has the tool, its input, its directory and its id', () => {
    const fields = { tool_name: 'Bash', tool_input: { command: 'ls' }, cwd: '/src', tool_use_id: 't1' }
    expect(report('PreToolUse', fields)).toMatchObject({
      use: { tool: 'Bash', input: { command: 'ls' }, cwd: '/src', id: 't1' },
      dialog: null,
      question: null,
      planPath: null,
    })
  })

  test('a tool use of unknown shape is an empty one', () => {
    expect(report('PermissionRequest', { tool_name: 7, tool_input: 'ls', cwd: null })).toMatchObject({
      kind: 'asks',
      use: { tool: '', input: {}, cwd: null, id: null },
    })
  })

  test.each([
    ['PermissionRequest', 'Bash', 'permission'],
    ['PermissionRequest', 'AskUserQuestion', 'question'],
    ['PermissionRequest', 'ExitPlanMode', 'plan'],
    ['PermissionRequest', 'toString', 'permission'],
    ['PreToolUse', 'Bash', null],
    ['PreToolUse', 'AskUserQuestion', 'question'],
    ['PreToolUse', 'ExitPlanMode', 'plan'],
    ['PostToolUse', 'AskUserQuestion', null],
  ])('%s of %s opens the dialog %j', (hook, tool_name, dialog) => {
    expect(report(hook, { tool_name })).toMatchObject({ dialog })
  })

  test('a question is reported on one line, before its tool runs', () => {
    const fields = {
      tool_name: 'AskUserQuestion',
      tool_input: { questions: [{ question: 'Tea\nor coffee?' }] },
    }
    expect(report('PreToolUse', fields)).toMatchObject({ question: 'Tea or coffee?' })
    expect(report('PermissionRequest', fields)).toMatchObject({ question: 'Tea or coffee?' })
    expect(report('PostToolUse', fields)).toMatchObject({ question: null })
  })

  test.each([
    [
      'written where plans are kept',
      'PostToolUse',
      '/home/me/.claude/plans/a.md',
      '/home/me/.claude/plans/a.md',
    ],
    ['written elsewhere', 'PostToolUse', '/src/a.md', null],
    ['about to be written', 'PreToolUse', '/home/me/.claude/plans/a.md', null],
    ['not written', 'PostToolUseFailure', '/home/me/.claude/plans/a.md', null],
  ])('the path of a plan that was %s', (_title, hook, file_path, planPath) => {
    expect(report(hook, { tool_name: 'Write', tool_input: { file_path } })).toMatchObject({ planPath })
  })

  test('the path of a plan that Claude presents', () => {
    const fields = { tool_name: 'ExitPlanMode', tool_input: { plan: '# x', planFilePath: '/anywhere/b.md' } }
    expect(report('PermissionRequest', fields)).toMatchObject({ dialog: 'plan', planPath: '/anywhere/b.md' })
  })
})

test.each([
  [null],
  [undefined],
  ['Stop'],
  [7],
  [[]],
  [{}],
  [{ hook_event_name: 7 }],
  [{ hook_event_name: null }],
])('%j is not a hook', data => {
  expect(hookReport(data, planDirectories)).toBeNull()
})

test('a rule never answers a tool that has a dialog of its own', () => {
  expect(Object.keys(dialogTools).filter(tool => !isForTheUser(tool))).toEqual([])
})
