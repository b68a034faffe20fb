import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Sandbox, sandbox } from '../helpers/cli.ts'

interface Settings extends Sandbox {
  file: string
  /** Writes config.json, as a user does with an editor. */
  write(text: string): void
  read(): string
}

function settings(): Settings {
  const box = sandbox()
  const file = join(box.agencHome, 'config.json')
  return {
    ...box,
    file,
    write: text => {
      mkdirSync(box.agencHome, { recursive: true, mode: 0o700 })
      writeFileSync(file, text, { mode: 0o600 })
    },
    read: () => readFileSync(file, 'utf8'),
  }
}

test('set, get, ls, unset and path', () => {
  const { agenc, agencJson, file, read } = settings()
  expect(agenc(['config', 'path']).stdout).toBe(`${file}\n`)
  expect(agencJson(['config', 'path'])).toEqual({ path: file })
  expect(agenc(['config', 'get', 'claude.permission_mode'])).toEqual({
    exitCode: 0,
    stdout: '\n',
    stderr: '',
  })
  expect(agencJson(['config', 'get', 'claude.permission_mode'])).toBeNull()
  expect(existsSync(file)).toBe(false)

  expect(agencJson(['config', 'unset', 'stop.grace_ms'])).toEqual({ key: 'stop.grace_ms', value: null })
  expect(existsSync(file)).toBe(false)
  expect(agenc(['config', 'set', 'claude.permission_mode', 'plan'])).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: '',
  })
  expect(agenc(['config', 'get', 'claude.permission_mode']).stdout).toBe('plan\n')
  agenc(['config', 'set', 'claude.allowed_tools', 'Read', 'Bash(git *)'])
  agenc(['config', 'set', 'claude.args', '--', '--verbose'])
  agenc(['config', 'set', 'repos.github.com/o/r.js.model', 'opus'])
  expect(JSON.parse(read())).toEqual({
    $schema: './config.schema.json',
    claude: { permission_mode: 'plan', allowed_tools: ['Read', 'Bash(git *)'], args: ['--verbose'] },
    repos: { 'github.com/o/r.js': { model: 'opus' } },
  })

  const rows = agencJson<{ key: string; value: unknown; source: string }[]>(['config', 'ls'])
  expect(rows).toContainEqual(
    expect.objectContaining({ key: 'stop.grace_ms', value: 5000, source: 'default' }),
  )
  expect(rows).toContainEqual(
    expect.objectContaining({ key: 'repos.github.com/o/r.js.model', value: 'opus', source: 'file' }),
  )
  for (const row of rows) {
    expect(Object.keys(row)).toEqual(['key', 'value', 'default', 'source', 'description'])
    expect(agencJson(['config', 'get', row.key])).toEqual(row.value)
  }

  expect(agencJson(['config', 'unset', 'claude.permission_mode'])).toEqual({
    key: 'claude.permission_mode',
    value: null,
  })
  expect(agencJson(['config', 'get', 'claude.permission_mode'])).toBeNull()
  expect(agenc(['config', 'unset', 'claude.permission_mode']).exitCode).toBe(0)
  expect(agenc(['config', 'unset', 'tmux.prefix_key'])).toMatchObject({ exitCode: 0, stderr: '' })
})

test('a setting of all repos stands beside those of one repo', () => {
  const { agenc, agencJson, file } = settings()
  const ofOne = 'repos.github.com/o/r.model'
  expect(agenc(['config', 'get', 'repos.fetch_timeout']).stdout).toBe('5\n')
  agenc(['config', 'set', 'repos.fetch_timeout', '0.5'])
  agenc(['config', 'set', ofOne, 'opus'])
  const rows = agencJson<{ key: string; value: unknown; source: string }[]>(['config', 'ls'])
  const mine = rows.filter(({ source }) => source === 'file').map(({ key, value }) => [key, value])
  expect(mine).toEqual([
    ['repos.fetch_timeout', 0.5],
    [ofOne, 'opus'],
  ])
  agenc(['config', 'unset', 'repos.fetch_timeout'])
  expect(JSON.parse(readFileSync(file, 'utf8')).repos).toEqual({ 'github.com/o/r': { model: 'opus' } })
  writeFileSync(file, '{ "repos": { "o/r": { "model": "x" } } }')
  expect(agenc(['config', 'ls']).stderr).toContain('repos.o/r: is not a full repo name')
})

test('files are private', () => {
  const { agenc, agencHome } = settings()
  agenc(['config', 'set', 'claude.model', 'x'])
  expect(statSync(agencHome).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(agencHome)) {
    expect(statSync(join(agencHome, name)).mode & 0o777, name).toBe(0o600)
  }
})

describe('unknown keys and values', () => {
  test.each([
    [['set', 'claude.modle', 'x'], 'unknown setting "claude.modle"', 'Did you mean claude.model?'],
    [['get', 'tmux.keys.nwe'], 'unknown setting "tmux.keys.nwe"', 'Did you mean tmux.keys.new?'],
    [['unset', 'zzz.zzz'], 'unknown setting "zzz.zzz"', "Run 'agenc config ls' for the list."],
    [['set', '__proto__.x', '1'], 'unknown setting "__proto__.x"', "Run 'agenc config ls' for the list."],
    [['set', 'repos.o/r.model', 'x'], '"o/r" is not a full repo name', /repos\.github\.com\/o\/r\.model/],
    [
      ['set', 'repos.__proto__.model', 'x'],
      '"__proto__" is not a full repo name',
      /github\.com\/owner\/name/,
    ],
    [['set', 'stop.grace_ms', 'soon'], 'stop.grace_ms must be a number, not "soon"', /How long Claude/],
    [['set', 'stop.grace_ms', '1.5'], 'stop.grace_ms must be a whole number, not 1.5', /How long/],
    [['set', 'repos.fetch_timeout', '-1'], 'repos.fetch_timeout must be at least 0, not -1', /How many/],
    [['set', 'repos.fetch_timeout', '9999'], 'repos.fetch_timeout must be at most 3600, not 9999', /How/],
    [['set', 'repos.fetch_timeot', '1'], 'unknown setting "repos.fetch_timeot"', /repos\.fetch_timeout/],
    [['set', 'notify.bell', 'yes'], 'notify.bell must be true or false, not "yes"', /Ring the bell/],
    [['set', 'claude.model', ''], 'claude.model must not be empty', /Model/],
    [['set', 'claude.model', 'a', 'b'], 'claude.model takes one value, not 2', /"a b"/],
    [['set', 'approvals.mode', 'no'], 'approvals.mode must be "ask", "rules" or "all", not "no"', /Who/],
    [
      ['set', 'approvals.rules', '[{"tool":"Bash"}]'],
      'approvals.rules.0.decision is missing',
      /approvals\.rules/,
    ],
  ])('%j', (args, message, hint) => {
    const { agenc, file } = settings()
    const { exitCode, stderr } = agenc(['config', ...args])
    const [first, second] = stderr.split('\n')
    expect(exitCode).toBe(64)
    expect(first).toBe(`agenc: ${message}`)
    expect(second).toMatch(hint)
    expect(existsSync(file)).toBe(false)
  })
})

describe('a file written by hand', () => {
  const original =
    '{\r\n\t"claude" : {"model":"opus"  ,\r\n\t\t"args":[ "--a" ]},\r\n\n   "stop":{ "grace_ms":1 }\r\n}\r\n\r\n'

  test('keeps every byte that is not the value', () => {
    const { agenc, write, read } = settings()
    write(original)
    expect(agenc(['config', 'set', 'claude.model', 'sonnet']).exitCode).toBe(0)
    expect(read()).toBe(original.replace('"opus"', '"sonnet"'))
    agenc(['config', 'set', 'stop.grace_ms', '20'])
    expect(read()).toBe(original.replace('"opus"', '"sonnet"').replace(':1 }', ':20 }'))
  })

  test('is not written if nothing changes', () => {
    const { agenc, write, file } = settings()
    write(original)
    const before = statSync(file, { bigint: true })
    expect(agenc(['config', 'unset', 'claude.permission_mode']).exitCode).toBe(0)
    const after = statSync(file, { bigint: true })
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs])
  })

  test.each([
    ['{\n  "claude": {\n    "model": 5\n  }\n}', ':3: claude.model: must be text, not 5'],
    ['{\n  "claud": {}\n}', ':2: claud: unknown key; did you mean claude?'],
    ['{ "claude": {\n "modle": "x" } }', ':2: claude.modle: unknown key; did you mean claude.model?'],
    ['{ "repos": {\n "o/r": {} } }', ':2: repos.o/r: '],
    ['{\n "claude": {},\n}', ':3: property name expected'],
    ['// {}\n{}', ':1: invalid comment token'],
    ['[]', ':1: must be an object, not a list'],
    ['null', ':1: must be an object, not null'],
    ['', ':1: value expected'],
    ['{ "cl\\u001b[31maude": 1 }', ':1: claude: unknown key'],
  ])('%j is broken: exit 78 with the place, and the file stays as it is', (text, place) => {
    const { agenc, write, read, file, agencHome } = settings()
    write(text)
    for (const args of [['ls'], ['set', 'claude.model', 'x']]) {
      const { exitCode, stdout, stderr } = agenc(['config', ...args])
      expect(stderr).toContain(`agenc: ${file}${place}`)
      expect(stderr).toContain("'agenc config edit'")
      expect({ exitCode, stdout }).toEqual({ exitCode: 78, stdout: '' })
    }
    expect(read()).toBe(text)
    expect(readdirSync(agencHome)).toEqual(['config.json'])
  })
})

test('twenty writers at once lose nothing', { timeout: 60_000 }, async () => {
  const { agencAsync, read, agencHome } = settings()
  const names = Array.from({ length: 20 }, (_, index) => `github.com/o/r${index}`)
  const runs = await Promise.all(
    names.map(name => agencAsync(['config', 'set', `repos.${name}.model`, name])),
  )
  expect(runs).toEqual(names.map(() => ({ exitCode: 0, stdout: '', stderr: '' })))
  expect(JSON.parse(read()).repos).toEqual(Object.fromEntries(names.map(name => [name, { model: name }])))
  expect(readdirSync(agencHome).sort()).toEqual(['config.json', 'config.prepared.json', 'config.schema.json'])
})

test.each(['there', 'missing'])('a symbolic link stays a link if its target is %s', state => {
  const { agenc, root, agencHome, file } = settings()
  const target = join(root, 'dotfiles.json')
  mkdirSync(agencHome)
  if (state === 'there') writeFileSync(target, '{ "claude": { "model": "opus" } }')
  symlinkSync('../dotfiles.json', file)
  expect(agenc(['config', 'set', 'stop.grace_ms', '7']).exitCode).toBe(0)
  expect(lstatSync(file).isSymbolicLink()).toBe(true)
  expect(JSON.parse(readFileSync(target, 'utf8'))).toMatchObject({ stop: { grace_ms: 7 } })
})

test('a file that cannot be read is a configuration error with a reason', () => {
  const { agenc, file } = settings()
  mkdirSync(file, { recursive: true })
  const { exitCode, stderr } = agenc(['config', 'ls'])
  expect(exitCode).toBe(78)
  expect(stderr).toMatch(/^agenc: cannot read .*EISDIR.*\n.*owner.*\n$/)
})

test('editors find the schema that the file names', () => {
  const { agenc, agencHome, read } = settings()
  agenc(['config', 'set', 'claude.model', 'x'])
  const { $schema } = JSON.parse(read())
  const schema = JSON.parse(readFileSync(join(agencHome, $schema), 'utf8'))
  expect(schema).toMatchObject({
    type: 'object',
    additionalProperties: false,
    properties: {
      claude: { properties: { model: { type: 'string', description: expect.any(String) } } },
      tmux: { properties: { keys: { properties: { new: { default: 'n' } } } } },
    },
  })
})
