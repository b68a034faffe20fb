import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { branchFrom } from '../../src/mission/branch-name.ts'
import type { MissionId } from '../../src/mission-id.ts'
import { isRefName } from '../../src/repo/ref-names.ts'

const id = '3f2a9b1c-0000-4000-8000-000000000000' as MissionId
const standard = 'agenc/{name}-{id}'

function isRefForGit(name: string): boolean {
  try {
    execFileSync('git', ['check-ref-format', '--branch', name], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

test.each([
  [standard, 'Fix the Login', 'agenc/Fix-the-Login-3f2a9b1c'],
  [standard, null, 'agenc/3f2a9b1c'],
  [standard, '???', 'agenc/3f2a9b1c'],
  [standard, 'größer 日本', 'agenc/größer-日本-3f2a9b1c'],
  [standard, '../../etc/passwd', 'agenc/etc-passwd-3f2a9b1c'],
  [standard, 'a.lock', 'agenc/a-3f2a9b1c'],
  [standard, '-rf $(id) `x`', 'agenc/rf-id-x-3f2a9b1c'],
  [standard, 'v1.2..3 ~ ^ : * [ \\ @{', 'agenc/v1.2.3-3f2a9b1c'],
  [standard, 'x'.repeat(300), `agenc/${'x'.repeat(60)}-3f2a9b1c`],
  ['{id}-{name}', null, '3f2a9b1c'],
  ['{name}/{id}', null, '3f2a9b1c'],
  ['wip/{name}', null, 'wip/3f2a9b1c'],
  ['wip/{name}', 'a', 'wip/a'],
  ['', 'a', null],
])('the template %j makes of the name %j the branch %j', (template, name, branch) => {
  expect(branchFrom(template, name, id)).toBe(branch)
  if (branch !== null) expect(isRefForGit(branch)).toBe(true)
})

test('a template that makes no valid name is a mistake in the settings', () => {
  expect(() => branchFrom('a b/{id}', null, id)).toThrow(expect.objectContaining({ exitCode: 78 }))
})

const names = [
  'a',
  'a/b',
  'a.b',
  '日本',
  'a..b',
  '.a',
  'a/.b',
  'a.',
  'a.lock',
  'a.lock/b',
  'a b',
  'a~',
  'a^',
  'a:',
]
names.push(
  'a?',
  'a*',
  'a[',
  'a\\b',
  'a@{b',
  'HEAD',
  '-a',
  '/a',
  'a/',
  'a//b',
  'a\u0007',
  'a\u007f',
  '',
  '@a',
  'a-',
)

test.each(names)('agrees with git about %j', name => {
  expect(isRefName(name)).toBe(isRefForGit(name))
})
