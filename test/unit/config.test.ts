import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/config/parse.ts'
import { findSetting, splitKey } from '../../src/config/setting-key.ts'
import { valueFromWords } from '../../src/config/setting-value.ts'

describe('keys', () => {
  test.each([
    ['claude.model', ['claude', 'model']],
    ['repos.github.com/o/r.js.model', ['repos', 'github.com/o/r.js', 'model']],
    ['repos.local/a/b.setup', ['repos', 'local/a/b', 'setup']],
  ])('%s', (key, path) => {
    expect(splitKey(key)).toEqual(path)
    expect(findSetting(key).path).toEqual(path)
  })

  test.each([
    ['claude.modl', 'claude.model'],
    ['claude.permissionmode', 'claude.permission_mode'],
    ['tmux.prefix', 'tmux.prefix_key'],
    ['repos.github.com/o/r.modle', 'repos.github.com/o/r.model'],
  ])('%s is unknown and suggests %s', (wrong, right) => {
    expect(() => findSetting(wrong)).toThrowError(
      expect.objectContaining({ exitCode: 64, hint: `Did you mean ${right}?` }),
    )
  })
})

describe('files', () => {
  test('an empty object gives every default', () => {
    const parsed = parseConfig('{}')
    expect(parsed.ok && parsed.config).toMatchObject({
      tmux: { prefix_key: 'a', keys: { new: 'n', help: '?' }, return_to_parent: 'always' },
      stop: { grace_ms: 5000 },
      approvals: { mode: 'ask', delay_ms: 500, rules: [] },
      repos: {},
    })
  })

  test.each([
    ['{\n  "claude": {\n    "model": 5\n  }\n}', 3, 'claude.model', /must be text, not 5/],
    ['{\n  "claud": {}\n}', 2, 'claud', /unknown key; did you mean claude/],
    ['{\n  "stop": {\n\n "grace_ms": -1 } }', 4, 'stop.grace_ms', /must be at least 0, not -1/],
    [
      '{\n  "approvals": { "rules": [\n { "tool": "Bash", "decision": "maybe" } ] } }',
      3,
      'approvals.rules.0.decision',
      /allow/,
    ],
    ['{\n "a": 1,\n}', 3, null, /property name expected/],
    ['', 1, null, /value expected/],
  ])('%j: line %i', (text, line, key, message) => {
    const parsed = parseConfig(text)
    expect(parsed.ok).toBe(false)
    if (!parsed.ok) {
      expect(parsed.problem).toMatchObject({ line, key })
      expect(parsed.problem.message).toMatch(message)
    }
  })
})

describe('typed values', () => {
  test.each([
    ['claude.model', ['opus'], 'opus'],
    ['claude.model', ['5'], '5'],
    ['stop.grace_ms', ['250'], 250],
    ['notify.bell', ['true'], true],
    ['claude.args', ['--verbose', '--x=1'], ['--verbose', '--x=1']],
    ['claude.args', ['--verbose'], ['--verbose']],
    ['claude.allowed_tools', ['["Read","Bash(git *)"]'], ['Read', 'Bash(git *)']],
    ['repos.github.com/o/r.setup', ['npm ci && make'], 'npm ci && make'],
    ['repos.github.com/o/r.setup', ['["npm","ci"]'], ['npm', 'ci']],
    ['approvals.rules', ['[{"tool":"Bash","decision":"ask"}]'], [{ tool: 'Bash', decision: 'ask' }]],
  ])('%s %j', (key, words, value) => {
    expect(valueFromWords(findSetting(key), words)).toEqual(value)
  })
})
