import { expect, test } from 'vitest'
import {
  AgencError,
  Cancelled,
  explainSystemError,
  isAgencError,
  isCancelled,
  usageError,
} from '../../src/errors.ts'
import { readSources } from '../helpers/arrows.ts'
import { projectRoot } from '../helpers/cli.ts'

test('errors from another copy of the module are recognised by name', () => {
  class Copy extends Error {
    override name = 'AgencError'
  }
  expect(isAgencError(new Copy('x'))).toBe(true)
  expect(isAgencError(usageError('x'))).toBe(true)
  expect(isAgencError(new Error('x'))).toBe(false)
  expect(isAgencError({ name: 'AgencError' })).toBe(false)
  expect(isCancelled(new Cancelled())).toBe(true)
  expect(isCancelled(new AgencError('x'))).toBe(false)
})

test('no file uses instanceof for the two classes that cross between a hot file and its chunks', () => {
  const sources = readSources(projectRoot, 'src')
  const withCheck = sources.filter(({ text }) => /instanceof (AgencError|Cancelled)\b/.test(text))
  expect(sources.length).toBeGreaterThan(100)
  expect(withCheck.map(({ path }) => path)).toEqual([])
})

test.each([
  ['ENOSPC', { syscall: 'write' }, 'cannot write: the disk is full', /^Free some space.* \/home\/a\/.agenc/],
  ['EMFILE', { syscall: 'open', path: '/x' }, 'cannot open /x: too many open files', /ulimit -n/],
  ['EROFS', { syscall: 'mkdir', path: '/home/a/.agenc' }, /read-only/, /AGENC_DIRPATH/],
  ['ENOTDIR', { syscall: 'mkdir', path: '/home/a' }, /not a directory/, /AGENC_DIRPATH/],
  [
    'EACCES',
    { syscall: 'open', path: '/etc/x' },
    'cannot open /etc/x: permission denied',
    /^Check its owner[^/]*$/,
  ],
  ['ENOENT', { syscall: 'spawn git', path: 'git' }, 'cannot run git: it does not exist', /^Check the path/],
] as const)(
  'the error %s names the path and the cause, and says what to do',
  (code, details, message, hint) => {
    const error = Object.assign(new Error(`${code}: from the system`), { code, ...details })
    const explained = explainSystemError(error, '/home/a/.agenc')!
    expect(explained.message).toMatch(message)
    expect(explained.hint).toMatch(hint)
  },
)

test('a mistake in the program is not taken for an error of the system', () => {
  expect(explainSystemError(new TypeError('x is not a function'), '/')).toBeNull()
  expect(explainSystemError(Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' }), '/')).toBeNull()
})
