import { expect, test } from 'vitest'
import { addressSaid, hostedRepo, pullRequestAddress } from '../../src/git-work/pull-request-address.ts'

test.each([
  ['https://github.com/acme/app.git', 'https://github.com/acme/app/pull/new/fix/a%23b'],
  ['git@github.com:acme/app.git', 'https://github.com/acme/app/pull/new/fix/a%23b'],
  ['ssh://git@github.com:22/acme/app', 'https://github.com/acme/app/pull/new/fix/a%23b'],
  [
    'https://me:secret@github.example.com/acme/app.git/',
    'https://github.example.com/acme/app/pull/new/fix/a%23b',
  ],
  [
    'git@gitlab.com:group/sub/app.git',
    'https://gitlab.com/group/sub/app/-/merge_requests/new?merge_request%5Bsource_branch%5D=fix%2Fa%23b',
  ],
  [
    'https://bitbucket.org/acme/app.git',
    'https://bitbucket.org/acme/app/pull-requests/new?source=fix%2Fa%23b',
  ],
  ['https://codeberg.org/acme/app.git', 'https://codeberg.org/acme/app/compare/main...fix/a%23b'],
  ['http://gitea.local:3000/acme/app.git', 'http://gitea.local:3000/acme/app/compare/main...fix/a%23b'],
  ['https://git.example.com/acme/app.git', null],
  ['/home/me/src/app', null],
  ['file:///home/me/src/app', null],
])('%s', (url, address) => {
  expect(pullRequestAddress(url, 'fix/a#b', 'main')).toBe(address)
})

test('an address of ssh has the host of the pages, whatever its port', () => {
  expect(hostedRepo('ssh://git@Host:2222/acme/app.git')).toEqual({ host: 'host', path: 'acme/app' })
  expect(hostedRepo('host:acme/app')).toEqual({ host: 'host', path: 'acme/app' })
  expect(hostedRepo('/a:b')).toBeNull()
  expect(hostedRepo('file:///a')).toBeNull()
})

test("only an address of a pull request is taken from the server's words", () => {
  expect(
    addressSaid(['Read https://status.example first', 'visit:', '  https://h/a/-/merge_requests/7']),
  ).toBe('https://h/a/-/merge_requests/7')
  expect(addressSaid(['ftp://h/pull/1', 'nothing'])).toBeNull()
})
