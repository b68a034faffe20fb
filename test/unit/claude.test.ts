import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { claudeEnvironment } from '../../src/claude/claude-environment.ts'
import { claudeLocations } from '../../src/claude/claude-locations.ts'
import { claudeVersion } from '../../src/claude/claude-version.ts'
import { claudeCommandLine, sessionArguments } from '../../src/claude/command-line.ts'
import { findClaude } from '../../src/claude/find-claude.ts'
import { knownHookEvents } from '../../src/claude/known-hook-events.ts'
import { permissionArguments } from '../../src/claude/permission-mode.ts'
import { parseStatusFile } from '../../src/claude/status-file.ts'
import { findTranscript, holdsConversation, holdsPrompt, lastMessageIn } from '../../src/claude/transcript.ts'
import { forgetDirectory, isTrusted, trustDirectory } from '../../src/claude/trust.ts'
import type { Runner } from '../../src/system/runner.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { temporaryDirectory } from '../helpers/cli.ts'

describe('Claude is told to open', () => {
  const fresh = { sessionId: 'B', hasBegun: false, forkedFrom: null }
  test.each([
    ['a new conversation', fresh, ['--session-id', 'B']],
    ['a conversation that has begun', { ...fresh, hasBegun: true }, ['--resume', 'B']],
    [
      'a fork that has not begun',
      { ...fresh, forkedFrom: 'A' },
      ['--resume', 'A', '--fork-session', '--session-id', 'B'],
    ],
    ['a fork that has begun', { ...fresh, hasBegun: true, forkedFrom: 'A' }, ['--resume', 'B']],
  ])('%s', (_title, conversation, expected) => {
    expect(sessionArguments(conversation)).toEqual(expected)
  })
})

test('the command line has the conversation, the mode and agenc’s settings, then the user’s own arguments', () => {
  const config = { allowed_tools: [], prime: false, args: ['--verbose'] }
  const conversation = { sessionId: 'B', hasBegun: true, forkedFrom: null }
  expect(
    claudeCommandLine({ conversation, mode: 'plan', settingsPath: 's', name: 'n', model: null, config }),
  ).toEqual(['--resume', 'B', '--permission-mode', 'plan', '--settings', 's', '--name=n', '--verbose'])
})

describe('permission modes', () => {
  test.each([
    [null, []],
    ['default', ['--permission-mode', 'default']],
    ['manual', ['--permission-mode', 'default']],
    ['auto-accept', ['--permission-mode', 'bypassPermissions']],
    ['allowedTools', ['--allowedTools', 'Read', '--permission-mode', 'default']],
    ['somethingNew', ['--permission-mode', 'somethingNew']],
    ['toString', ['--permission-mode', 'toString']],
  ])('the mode %j becomes arguments', (mode, expected) => {
    expect(permissionArguments(mode, ['Read'])).toEqual(expected)
  })
})

describe('the environment', () => {
  const term = (env: NodeJS.ProcessEnv) => claudeEnvironment(env, 'id').TERM
  test('keeps TERM, unless it is missing or "dumb"', () => {
    expect(term({ TMUX: '/tmp/x,1,0', TERM: 'tmux-256color' })).toBe('tmux-256color')
    expect(term({ TERM: 'dumb' })).toBe('xterm-256color')
    expect(term({})).toBe('xterm-256color')
    expect(term({ TERM: 'alacritty' })).toBe('alacritty')
  })
  test('keeps the user’s GIT_EDITOR, but not the one that another Claude has set', () => {
    expect(claudeEnvironment({ GIT_EDITOR: 'true' }, 'id').GIT_EDITOR).toBe('true')
    expect(claudeEnvironment({ GIT_EDITOR: 'vi', CLAUDECODE: '1' }, 'id').GIT_EDITOR).toBe('vi')
    expect(claudeEnvironment({ GIT_EDITOR: 'true', CLAUDECODE: '1' }, 'id')).not.toHaveProperty('GIT_EDITOR')
  })
})

describe('Claude’s files', () => {
  test('are all below CLAUDE_CONFIG_DIR if it is set, .claude.json too', () => {
    expect(claudeLocations({ HOME: '/h' })).toMatchObject({
      directory: '/h/.claude',
      globalConfig: '/h/.claude.json',
    })
    const moved = claudeLocations({ HOME: '/h', CLAUDE_CONFIG_DIR: '/c' })
    expect(moved).toMatchObject({ directory: '/c', globalConfig: '/c/.claude.json', plans: '/c/plans' })
    expect(moved.statusFile(7)).toBe('/c/sessions/7.json')
  })

  test('include a transcript that is found by its id, even if it was moved', () => {
    const root = temporaryDirectory()
    expect(findTranscript(root, 'one', null)).toBeNull()
    mkdirSync(join(root, 'projects', '-a'), { recursive: true })
    const path = join(root, 'projects', '-a', 'one.jsonl')
    writeFileSync(path, '')
    expect(findTranscript(root, 'one', '/moved/away/one.jsonl')).toBe(path)
    expect(findTranscript(root, 'two', path)).toBeNull()
  })

  test.each([
    ['only titles and modes', '{"type":"mode"}\n{"type":"custom-title","customTitle":"\\"user\\""}\n', false],
    ['a message of the user', '{"type":"mode"}\n{"type":"user"}\n', true],
    ['a message of Claude', '{"type":"assistant"}', true],
    ['half a message', '{"type":"user"', false],
    ['more than a megabyte', 'x'.repeat(1024 * 1024 + 1), true],
  ])('a transcript with %s holds a conversation or not', (_title, text, expected) => {
    const path = join(temporaryDirectory(), 'x.jsonl')
    expect(holdsConversation(path)).toBe(false)
    writeFileSync(path, text)
    expect(holdsConversation(path)).toBe(expected)
  })

  test.each([
    [
      '{"status":"waiting","waitingFor":"permission prompt","statusUpdatedAt":7}',
      { activity: 'waiting', dialog: 'permission', updatedAtMs: 7 },
    ],
    ['{"status":"idle","name":"x","nameSource":"user"}', { userName: 'x' }],
    ['{"status":"idle","name":"x","nameSource":"derived"}', { userName: null }],
    ['{"status":"shell"}', { activity: 'background' }],
    ['{"status":"dreaming"}', { activity: 'unknown' }],
    ['{"status":1}', null],
    ['{"status":"id', null],
    ['[]', null],
  ])('the status file %s is understood', (text, expected) => {
    const status = parseStatusFile(text)
    if (expected === null) expect(status).toBeNull()
    else expect(status).toMatchObject(expected)
  })
})

test('a transcript is the witness that a prompt was taken', () => {
  const path = join(temporaryDirectory(), 'x.jsonl')
  const said = (content: unknown, timestamp: string) =>
    JSON.stringify({ type: 'user', message: { content }, timestamp })
  const since = Date.parse('2030-01-01T00:00:00Z')
  expect(holdsPrompt(path, 'Hello.', since)).toBe(false)
  writeFileSync(
    path,
    `${said('Hello.', '2029-12-31T00:00:00Z')}\n${said('Hello. Again.', '2030-01-02T00:00:00Z')}\n{"half`,
  )
  expect(holdsPrompt(path, 'Hello.', since)).toBe(false)
  expect(holdsPrompt(path, 'Hello. Again.\n', since)).toBe(true)
  writeFileSync(path, said([{ type: 'text', text: 'Hello.' }], '2030-01-02T00:00:00Z'))
  expect(holdsPrompt(path, 'Hello.', since)).toBe(true)
})

test('the last message is the latest text of the main conversation', () => {
  const path = join(temporaryDirectory(), 'x.jsonl')
  expect(lastMessageIn(path)).toBeNull()
  const said = (content: unknown, extra = {}) =>
    JSON.stringify({ type: 'assistant', message: { content }, ...extra })
  const tool = said([{ type: 'tool_use', name: 'Bash', input: {} }])
  writeFileSync(path, `${tool}\n`)
  expect(lastMessageIn(path)).toBeNull()
  const lines = [
    said([{ type: 'text', text: 'first' }]),
    said([{ type: 'text', text: 'last' }]),
    said([{ type: 'text', text: 'a subagent' }], { isSidechain: true }),
    tool,
    JSON.stringify({ type: 'user', message: { content: 'an "assistant"' } }),
    '{"type":"assistant","half',
  ]
  writeFileSync(path, `${'x'.repeat(2_000_000)}\n${lines.join('\n')}`)
  expect(lastMessageIn(path)).toBe('last')
})

describe('finding Claude', () => {
  const program = (path: string) => {
    writeFileSync(path, '#!/bin/sh\n')
    chmodSync(path, 0o755)
    return path
  }
  test('uses the setting, then PATH, and skips files that cannot be executed', () => {
    const root = temporaryDirectory()
    for (const name of ['a', 'b', 'c']) mkdirSync(join(root, name))
    writeFileSync(join(root, 'a', 'claude'), 'not executable')
    mkdirSync(join(root, 'b', 'claude'))
    const claude = program(join(root, 'c', 'claude'))
    const env = { PATH: ['a', 'b', 'c'].map(name => join(root, name)).join(':') }
    expect(findClaude(undefined, env)).toBe(claude)
    const own = program(join(root, 'own'))
    expect(findClaude(own, env)).toBe(own)
    expect(() => findClaude(join(root, 'a', 'claude'), env)).toThrow('claude.command')
    expect(() => findClaude(relative('.', own), env)).toThrow('claude.command')
    expect(() => findClaude(undefined, { PATH: root })).toThrow(expect.objectContaining({ exitCode: 69 }))
  })
})

describe('Claude’s version', () => {
  const answering = (stdout: string) => {
    const asked: string[] = []
    const capture: Runner['capture'] = file => {
      asked.push(file)
      return { exitCode: 0, signal: null, stdout, stderr: '', missing: false }
    }
    return { asked, exec: { ...systemRunner, capture } }
  }
  test('is asked once per program file', () => {
    const root = temporaryDirectory()
    const [claude, cache] = [join(root, 'claude'), join(root, 'cache.json')]
    writeFileSync(join(root, 'v1'), 'x'.repeat(200_000))
    writeFileSync(join(root, 'v2'), 'x'.repeat(200_001))
    symlinkSync('v1', claude)
    const first = answering('2.1.325 (Claude Code)\n')
    expect(claudeVersion(first.exec, claude, {}, cache)).toBe('2.1.325')
    expect(claudeVersion(first.exec, claude, {}, cache)).toBe('2.1.325')
    expect(first.asked).toHaveLength(1)
    expect(claudeVersion(answering('3.0.0').exec, join(root, 'v2'), {}, cache)).toBe('3.0.0')
  })
  test('is asked every time of a small script, because the program it starts may have changed', () => {
    const root = temporaryDirectory()
    writeFileSync(join(root, 'claude'), '#!/bin/sh\n')
    const { asked, exec } = answering('2.1.325')
    for (let n = 0; n < 2; n++) claudeVersion(exec, join(root, 'claude'), {}, join(root, 'cache.json'))
    expect(asked).toHaveLength(2)
  })
  test('decides which hooks are registered; an unknown version gets only the oldest', () => {
    expect(knownHookEvents(null)).not.toContain('PermissionRequest')
    expect(knownHookEvents('2.0.45')).toContain('PermissionRequest')
    expect(knownHookEvents('2.0.44')).not.toContain('PermissionRequest')
  })
})

describe('trust', () => {
  test('changes only its own entry, also through a symlink, and can remove it again', async () => {
    const root = temporaryDirectory()
    const [real, config, project] = [join(root, 'real.json'), join(root, 'link.json'), join(root, 'project')]
    mkdirSync(project)
    const before = { theme: 'dark', projects: { '/x': { allowedTools: [], hasTrustDialogAccepted: false } } }
    writeFileSync(real, JSON.stringify(before))
    symlinkSync('real.json', config)
    expect(isTrusted(config, project)).toBe(false)
    await trustDirectory(config, project)
    expect(isTrusted(config, project)).toBe(true)
    expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual({
      ...before,
      projects: { ...before.projects, [project]: { hasTrustDialogAccepted: true } },
    })
    await forgetDirectory(config, project)
    expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual(before)
  })

  test('loses no entry when many are added at once', async () => {
    const root = temporaryDirectory()
    const config = join(root, 'config.json')
    const projects = Array.from({ length: 20 }, (_, n) => join(root, `p${n}`))
    for (const project of projects) mkdirSync(project)
    await Promise.all(projects.map(project => trustDirectory(config, project)))
    expect(projects.every(project => isTrusted(config, project))).toBe(true)
  })

  test('leaves a file that cannot be parsed as it is', async () => {
    const root = temporaryDirectory()
    const config = join(root, 'config.json')
    writeFileSync(config, '{"half":')
    await expect(trustDirectory(config, root)).rejects.toThrow(config)
    expect(readFileSync(config, 'utf8')).toBe('{"half":')
  })
})
