import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decide, objection } from '../../src/approvals/decide.ts'
import { realPath } from '../../src/approvals/resolve-path.ts'
import type { Decision, Rule } from '../../src/approvals/rule.ts'

let root: string
/** Contains brackets and braces, so that a test fails if the name is read as a glob. */
let dir: string

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'approvals-')))
  dir = join(root, 'mission [1] {a,b}')
  for (const path of ['src/deep', '.hidden', 'mission 1 a']) mkdirSync(join(dir, path), { recursive: true })
  mkdirSync(join(root, 'outside/inner'), { recursive: true })
  mkdirSync(join(root, 'mission 1 a'))
  writeFileSync(join(dir, 'a.txt'), '')
  writeFileSync(join(root, 'outside/secret'), '')
  symlinkSync('../../outside', join(dir, 'src/away'))
  symlinkSync('../outside/inner', join(dir, 'inner'))
  symlinkSync(join(root, 'outside/secret'), join(dir, 'link'))
  symlinkSync('../outside/not-yet', join(dir, 'dangling'))
  symlinkSync('dangling', join(dir, 'dangling-twice'))
  symlinkSync('loop', join(dir, 'loop'))
  symlinkSync('src/deep', join(dir, 'home'))
  symlinkSync(dir, join(root, 'alias'))
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

function file(
  tool: string,
  path: string | undefined,
  rules: Rule[],
  place: { dir?: string; cwd?: string } = {},
) {
  const field =
    tool === 'NotebookEdit' ? 'notebook_path' : tool === 'Glob' || tool === 'Grep' ? 'path' : 'file_path'
  const input = path === undefined ? {} : { [field]: path }
  return decide(
    { tool, input, dir: place.dir ?? dir, cwd: place.cwd ?? dir, home: join(root, 'me') },
    rules,
    'rules',
  )
}

const inDir = (tool: string): Rule[] => [{ tool, match: '{dir}/**', decision: 'allow' }]
const deny = (tool: string, match: string): Rule[] => [{ tool, match, decision: 'deny' }]

describe("a rule for the mission's directory", () => {
  test.each([
    'a.txt',
    'new.txt',
    'src/deep/new/er.ts',
    '.hidden/x',
    '.env',
    'src/../a.txt',
    'home/x',
    './a.txt',
  ])('covers %s', path => {
    expect(file('Write', join(dir, path), inDir('Write')).decision).toBe('allow')
    expect(file('Edit', `${dir}/${path}`, inDir('Edit')).decision).toBe('allow')
    expect(file('Read', path, inDir('Read')).decision).toBe('allow')
  })

  test.each([
    '../outside/secret',
    'src/../../outside/x',
    '/etc/passwd',
    'link',
    'dangling',
    'dangling-twice',
    'loop',
    'src/away/secret',
    'src/away/new',
    'inner/new',
    'inner/../secret',
    'home/../../../outside/x',
    '~/x',
    '../mission 1 a/x',
    '../mission [1] {a,b}2/x',
    '',
    'x\n/../../outside/y',
    ' /etc/passwd',
    '\t~/x ',
    join('/proc/self', 'root', 'etc/passwd'),
  ])('does not cover %j', path => {
    for (const tool of ['Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'Read']) {
      const absolute = /^\s*[/~]/.test(path) || path === '' ? path : `${dir}/${path}`
      expect(file(tool, absolute, inDir(tool)).decision, tool).toBe('ask')
      expect(file(tool, path, inDir(tool)).decision, tool).toBe('ask')
    }
  })

  test('works if the directory itself is reached through a link', () => {
    const alias = join(root, 'alias')
    expect(file('Write', join(alias, 'x'), inDir('Write')).decision).toBe('ask')
    expect(file('Write', join(alias, 'x'), inDir('Write'), { dir: alias, cwd: alias }).decision).toBe('allow')
    expect(file('Write', join(dir, 'x'), inDir('Write'), { dir: alias, cwd: dir }).decision).toBe('allow')
    expect(file('Write', join(alias, 'link'), inDir('Write'), { dir: alias, cwd: alias }).decision).toBe(
      'ask',
    )
  })

  test.each([
    '.git/hooks/pre-commit',
    '.git/config',
    '.GIT/config',
    '.claude/settings.json',
    'sub/.git/config',
    '.mcp.json',
  ])('does not allow writing to %s', path => {
    expect(file('Write', join(dir, path), inDir('Write')).decision).toBe('ask')
    expect(file('Read', join(dir, path), inDir('Read')).decision).toBe('allow')
  })

  test('a rule that names a protected file allows writing to it', () => {
    const rules: Rule[] = [{ tool: 'Write', match: '{dir}/.claude/**', decision: 'allow' }]
    expect(file('Write', join(dir, '.claude/notes.md'), rules).decision).toBe('allow')
    expect(file('Write', join(dir, '.claude/../.git/config'), rules).decision).toBe('ask')
  })
})

describe('patterns', () => {
  test.each<[string, string, Decision]>([
    ['src/**', 'src/deep/x', 'allow'],
    ['src/**', 'a.txt', 'ask'],
    ['*.txt', 'a.txt', 'allow'],
    ['*.txt', 'src/a.txt', 'ask'],
    ['**/*.ts', 'src/x.ts', 'allow'],
    ['{dir}/*.{md,txt}', 'a.txt', 'allow'],
    ['{dir}/src/../a.txt', 'a.txt', 'allow'],
    ['!a.txt', 'b.txt', 'ask'],
    ['~/notes/**', '~/notes/x', 'ask'],
    ['/**', 'a.txt', 'allow'],
  ])('%s for %s: %s', (match, path, decision) => {
    expect(file('Read', path, [{ tool: 'Read', match, decision: 'allow' }]).decision).toBe(decision)
  })

  test('an absolute pattern may contain a link', () => {
    const rules: Rule[] = [{ tool: 'Read', match: `${root}/alias/src/**`, decision: 'allow' }]
    expect(file('Read', `${root}/alias/src/deep/x`, rules).decision).toBe('allow')
  })
})

describe('a deny rule', () => {
  test.each([
    ['**/secret', 'link'],
    ['**/secret', 'src/away/secret'],
    ['**/secret', '../outside/SECRET'],
    ['**/secret', 'src/../../outside/secret'],
    ['**/link', 'link'],
    ['**/not-yet', 'dangling-twice'],
    ['{dir}/../outside/**', 'inner/x'],
    ['~/.ssh/**', '~/.ssh/id_rsa'],
    ['~/.ssh/**', '../me/.ssh/id_rsa'],
    ['.env', '.ENV'],
    ['{dir}/**', 'x\ny'],
    ['/etc/**', ' /etc/passwd'],
    ['**/secret', '../outside/secret '],
  ])('for %s denies %s', (match, path) => {
    expect(file('Read', path, [...inDir('Read'), ...deny('Read', match)]).decision).toBe('deny')
    const request = { tool: 'Read', input: { file_path: path }, dir, cwd: dir, home: join(root, 'me') }
    expect(objection(request, deny('Read', match))?.decision).toBe('deny')
  })
})

describe('searches', () => {
  test.each<[Record<string, string>, Decision]>([
    [{ pattern: '**/*.ts' }, 'allow'],
    [{ pattern: '**/*.ts', path: 'src' }, 'allow'],
    [{ pattern: '**/*.ts', path: '..' }, 'ask'],
    [{ pattern: '../**' }, 'ask'],
    [{ pattern: '/etc/**' }, 'ask'],
    [{ pattern: '~/**' }, 'ask'],
    [{ pattern: '{/etc/*,x}' }, 'ask'],
    [{ pattern: '{..,x}/*' }, 'ask'],
    [{ pattern: 'src/*/../../../**' }, 'ask'],
    [{ pattern: 'src/away/*', path: 'src/away' }, 'ask'],
  ])('%j: %s', (input, decision) => {
    expect(decide({ tool: 'Glob', input, dir, cwd: dir }, inDir('Glob'), 'rules').decision).toBe(decision)
  })

  test.each<[string, Record<string, string>, string]>([
    ['Glob', { pattern: 'src/deep/*' }, 'deny'],
    ['Glob', { pattern: 'src/deep/x' }, 'deny'],
    ['Glob', { pattern: 'deep/**', path: 'src' }, 'deny'],
    ['Grep', { pattern: 'x', glob: 'src/deep/*.ts' }, 'deny'],
    ['Grep', { pattern: 'x', glob: '*.{ts,tsx}' }, 'none'],
    ['Glob', { pattern: 'src/*' }, 'none'],
    ['Read', { file_path: '/proc/self/cwd/src/deep/x' }, 'ask'],
    ['Read', { file_path: '/proc/self/status' }, 'none'],
  ])('a deny rule sees the place that %s %j names: %s', (tool, input, expected) => {
    const rules: Rule[] = [{ tool: 'Glob|Grep|Read', match: '{dir}/src/deep/**', decision: 'deny' }]
    expect(objection({ tool, input, dir, cwd: dir }, rules)?.decision ?? 'none').toBe(expected)
  })

  test('Grep without a path searches the current directory', () => {
    const input = { pattern: 'x' }
    expect(decide({ tool: 'Grep', input, dir, cwd: dir }, inDir('Grep'), 'rules').decision).toBe('allow')
    expect(decide({ tool: 'Grep', input, dir, cwd: root }, inDir('Grep'), 'rules').decision).toBe('ask')
  })
})

describe('redirections need the permission for Write', () => {
  const rules: Rule[] = [
    ...['ls', 'ls *', 'cd *'].map(match => ({ tool: 'Bash', match, decision: 'allow' as const })),
    ...inDir('Write'),
  ]
  const bash = (command: string, more: Rule[] = []) =>
    decide({ tool: 'Bash', input: { command }, dir, cwd: dir }, [...rules, ...more], 'rules').decision

  test.each<[string, Decision]>([
    ['ls > out.txt', 'allow'],
    ['ls >> src/out.txt', 'allow'],
    ['ls > ../out.txt', 'ask'],
    ['ls > link', 'ask'],
    ['ls > dangling', 'ask'],
    ['ls > src/away/x', 'ask'],
    ['ls > .git/config', 'ask'],
    ['ls > $x', 'ask'],
    ['ls > *.txt', 'ask'],
    ['cd src && ls > x', 'allow'],
    ['cd src && ls > away/x', 'ask'],
    ['cd $x && ls > x', 'ask'],
    ['ls > ~/x', 'ask'],
    ['ls >| out.txt', 'ask'],
    ['ls > a.txt > new.txt', 'allow'],
    ['ls > a.txt > ../x', 'ask'],
    ['ls > {a.txt,../x}', 'ask'],
    ['ls > >(ls)', 'ask'],
    ["ls > '!'", 'allow'],
    ...['>!', '>>!', '>&!', '&>!', '&>>!', '2>!', '>>|', '>&|', '&>|', '&>>|', '>>&', '>>&!', '>>&|'].flatMap(
      (operator): [string, Decision][] => [
        [`ls ${operator} ../x`, 'ask'],
        [`ls ${operator}../x`, 'ask'],
      ],
    ),
    ['for i in a b; do ls > x; cd ..; done', 'ask'],
    ['while ls > x; do cd ..; done', 'ask'],
    ['for i in a b; do ls > x; done', 'ask'],
  ])('%s: %s', (command, decision) => {
    expect(bash(command)).toBe(decision)
  })

  test('deny rules for Write and Read apply to them', () => {
    expect(bash('ls > a.txt', deny('Write', '**/a.txt'))).toBe('deny')
    expect(bash('ls < link', deny('Read', '**/secret'))).toBe('deny')
    expect(bash('ls < a.txt', deny('Read', '**/secret'))).toBe('allow')
  })
})

test('a command rule with {dir} follows links, also after = in an argument', () => {
  const alias = join(root, 'alias')
  const rules: Rule[] = ['grep --file={dir}/*', 'cat {dir}/*', 'cd *', 'cd'].map(match => ({
    tool: 'Bash',
    match,
    decision: 'allow',
  }))
  const bash = (command: string) =>
    decide({ tool: 'Bash', input: { command }, dir: alias, cwd: alias }, rules, 'rules').decision
  expect(bash(`grep --file=${alias}/new a.txt`)).toBe('allow')
  expect(bash(`grep --file=${alias}/link a.txt`)).toBe('ask')
  expect(bash(`grep --file=${alias}/new link`)).toBe('ask')
  expect(bash(`cat ${alias}/a.txt src/deep/x`)).toBe('allow')
  expect(bash(`cat ${alias}/a.txt link`)).toBe('ask')
  expect(bash(`cd /; cat ${alias}/a.txt`)).toBe('allow')
  expect(bash(`cd /; cat ${alias}/a.txt etc/passwd`)).toBe('ask')
  expect(bash(`cd; cat ${alias}/a.txt x`)).toBe('ask')
})

test('realPath follows links as the kernel does', () => {
  expect(realPath(`${dir}/inner/../secret`)).toBe(join(root, 'outside/secret'))
  expect(realPath(`${dir}/dangling-twice/x`)).toBe(join(root, 'outside/not-yet/x'))
  expect(realPath('/')).toBe('/')
  expect(realPath('/no/such/./place/..')).toBe('/no/such')
  expect(() => realPath(join(dir, 'loop'))).toThrow('too many symbolic links')
})

test('cd needs no rule inside the mission, and git must be in its top directory by every reading of ..', () => {
  const mission = join(root, 'cd-mission')
  mkdirSync(join(mission, 'sub'), { recursive: true })
  mkdirSync(join(mission, 'other'))
  symlinkSync('../other', join(mission, 'sub', 'link'))
  symlinkSync(root, join(mission, 'out'))
  const rules: Rule[] = ['git status', 'npm test'].map(match => ({ tool: 'Bash', match, decision: 'allow' }))
  const decisionOn = (command: string) =>
    decide({ tool: 'Bash', input: { command }, dir: mission, cwd: mission }, rules, 'rules').decision
  expect(decisionOn('cd sub && npm test')).toBe('allow')
  expect(decisionOn(`cd ${mission} && git status`)).toBe('allow')
  expect(decisionOn('cd sub/.. && git status')).toBe('allow')
  for (const command of ['cd sub && git status', 'cd sub/link/.. && git status', 'cd out && npm test'])
    expect(decisionOn(command), command).toBe('ask')
  for (const command of [
    'cd ..',
    'cd',
    'cd -',
    'cd ~',
    'cd $x',
    'cd "$x"',
    'cd su*',
    'cd out',
    'x=1 cd sub',
    'cd sub sub',
  ])
    expect(decisionOn(command), command).toBe('ask')
})
