import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/config/check.ts'
import { defaultConfig, readConfig, stopGraceMs } from '../../src/config/read.ts'
import { findSetting, settingNamed, splitKey, valueFromWords } from '../../src/config/settings.ts'
import { changeConfig } from '../../src/config/write.ts'
import { pathsAt } from '../../src/paths.ts'
import { temporaryDirectory } from '../helpers/cli.ts'

describe('keys', () => {
  test.each([
    ['claude.model', ['claude', 'model']],
    ['repos.github.com/o/r.js.model', ['repos', 'github.com/o/r.js', 'model']],
    ['repos.local/a/b.setup', ['repos', 'local/a/b', 'setup']],
  ])('%s', (key, path) => {
    expect(splitKey(key)).toEqual(path)
    expect(settingNamed(key).path).toEqual(path)
  })

  test.each([
    ['claude.modl', 'claude.model'],
    ['claude.permissionmode', 'claude.permission_mode'],
    ['tmux.prefix', 'tmux.prefix_key'],
    ['repos.github.com/o/r.modle', 'repos.github.com/o/r.model'],
  ])('%s is unknown and suggests %s', (wrong, right) => {
    expect(() => settingNamed(wrong)).toThrowError(
      expect.objectContaining({ exitCode: 64, hint: `Did you mean ${right}?` }),
    )
  })

  test.each([
    ['repos.shop.setup', 'repos.local/src/shop.setup'],
    ['repos.src/shop.setup', 'repos.local/src/shop.setup'],
    ['repos.shp.setup', 'repos.local/src/shop.setup'],
    ['repos.site.model', 'repos.github.com/a/site.model or repos.github.com/b/site.model'],
    ['repos.o/r.model', 'repos.github.com/o/r.model'],
  ])('%s suggests a key of a repo that exists: %s', async (partial, suggested) => {
    const repos = () => ['github.com/a/site', 'github.com/b/site', 'local/src/shop']
    await expect(findSetting(partial, repos)).rejects.toMatchObject({
      exitCode: 64,
      hint: expect.stringContaining(suggested),
    })
  })

  test('a full repo name is accepted without looking at the known repos', async () => {
    const repos = () => {
      throw new Error('not needed')
    }
    expect(await findSetting('repos.local/a/b.setup', repos)).toMatchObject({
      path: ['repos', 'local/a/b', 'setup'],
    })
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
    expect(valueFromWords(settingNamed(key), words)).toEqual(value)
  })
})

describe('the reader and its cache', () => {
  function settingsFile(text?: string) {
    const paths = pathsAt(temporaryDirectory())
    if (text !== undefined) writeFileSync(paths.config, text)
    return paths
  }

  /** Changes the cached value, so that a test can tell whether the cache was used. */
  function markCache(path: string): void {
    const cached = JSON.parse(readFileSync(path, 'utf8'))
    cached.config.claude.model = 'from the cache'
    writeFileSync(path, JSON.stringify(cached))
  }

  test('without a file, the defaults apply and no cache is written', async () => {
    const paths = settingsFile()
    expect(await readConfig(paths)).toEqual(defaultConfig)
    expect(existsSync(paths.configCache)).toBe(false)
  })

  test('the defaults in the schema directory are those of the schema', () => {
    const parsed = parseConfig('{}')
    expect(parsed.ok && parsed.config).toEqual(defaultConfig)
  })

  test('the first read checks and caches, the next one uses the cache', async () => {
    const paths = settingsFile('{ "claude": { "model": "opus" } }')
    expect((await readConfig(paths)).claude.model).toBe('opus')
    markCache(paths.configCache)
    expect((await readConfig(paths)).claude.model).toBe('from the cache')
  })

  test('a changed text is checked again, and replaces the cache', async () => {
    const paths = settingsFile('{ "claude": { "model": "opus" } }')
    await readConfig(paths)
    writeFileSync(paths.config, '{ "claude": { "model": "haiku" } }')
    expect((await readConfig(paths)).claude.model).toBe('haiku')
    markCache(paths.configCache)
    expect((await readConfig(paths)).claude.model).toBe('from the cache')
  })

  test('the cache of another version of agenc is not used', async () => {
    const paths = settingsFile('{ "claude": { "model": "opus" } }')
    await readConfig(paths)
    const cached = JSON.parse(readFileSync(paths.configCache, 'utf8'))
    cached.config.claude.model = 'old'
    writeFileSync(paths.configCache, JSON.stringify({ ...cached, version: '0.0.0' }))
    expect((await readConfig(paths)).claude.model).toBe('opus')
  })

  test('a cache that cannot be written does not matter', async () => {
    const paths = settingsFile('{ "claude": { "model": "opus" } }')
    mkdirSync(join(paths.configCache, 'in-the-way'), { recursive: true })
    expect((await readConfig(paths)).claude.model).toBe('opus')
  })

  test('a write leaves a cache that fits', async () => {
    const paths = settingsFile()
    await changeConfig(paths, [[settingNamed('claude.model'), 'opus']])
    markCache(paths.configCache)
    expect((await readConfig(paths)).claude.model).toBe('from the cache')
    rmSync(paths.configCache)
    expect((await readConfig(paths)).claude.model).toBe('opus')
  })

  test('a mistake is an error with file and line, and the grace period then is the default', async () => {
    const paths = settingsFile('{ "stop": { "grace_ms": -1 } }')
    await expect(readConfig(paths)).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringContaining(`${paths.config}:1: stop.grace_ms`),
    })
    expect(await stopGraceMs(paths)).toBe(defaultConfig.stop.grace_ms)
  })

  test('of several changes, all are made or none', async () => {
    const paths = settingsFile()
    const changes = [
      [settingNamed('claude.model'), 'opus'],
      [settingNamed('stop.grace_ms'), -1],
    ] as const
    await expect(changeConfig(paths, changes)).rejects.toMatchObject({ exitCode: 64 })
    expect(existsSync(paths.config)).toBe(false)
  })
})
