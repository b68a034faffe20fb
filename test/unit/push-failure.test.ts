import { expect, test } from 'vitest'
import { pushFailed } from '../../src/git-work/push-failure.ts'
import type { Result } from '../../src/system/runner.ts'

const about = {
  branch: 'agenc/x',
  url: 'https://host/app',
  id: '3f2a0c11',
  base: 'main',
  said: ['no'],
  mayPrompt: false,
  isForced: false,
}

function failed(stderr: string): Result {
  return { exitCode: 128, signal: null, stdout: '', stderr, missing: false }
}

const access = [
  'fatal: Could not read from remote repository.',
  '',
  'Please make sure you have the correct access rights',
  'and the repository exists.',
].join('\n')

test.each([
  [`git@host: Permission denied (publickey).\n${access}`, 'git@host: Permission denied (publickey).'],
  [`ssh: Could not resolve hostname host\n${access}`, 'ssh: Could not resolve hostname host'],
  [
    `fatal: '/x' does not appear to be a git repository\n${access}`,
    "'/x' does not appear to be a git repository",
  ],
  [access, 'Could not read from remote repository'],
  [
    "remote: nope\nfatal: unable to access 'https://me:pw@host/app': The requested URL returned error: 403",
    '403',
  ],
])('the cause is named, not its consequence: %j', (stderr, cause) => {
  const { message, hint } = pushFailed(failed(stderr), undefined, about)
  expect(message).toMatch(/^https:\/\/host\/app did not take agenc\/x: /)
  expect(message).toContain(cause)
  expect(message).not.toContain('pw@')
  expect(hint).toBe(
    '  remote: no\nNothing is lost. Check that git can reach it: git ls-remote https://host/app',
  )
})

test.each([
  ['[rejected] (fetch first)', {}, 'agenc mission push 3f2a0c11 --force-with-lease'],
  ['[rejected] (non-fast-forward)', { base: 'agenc/x' }, 'agenc mission sync 3f2a0c11'],
  ['[remote rejected] (non-fast-forward)', { isForced: true }, 'lets nobody rewrite it'],
  ['[rejected] (stale info)', { isForced: true }, 'nothing was overwritten'],
  ['[remote rejected] (branch is currently checked out)', {}, 'agenc mission pull 3f2a0c11'],
  ['[remote rejected] (protected branch hook declined)', {}, 'A rule of the server refuses it.'],
  ['[remote rejected] (failed to update ref)', {}, 'Choose another one with --as <name>.'],
])('%s has advice of its own', (summary, more, advice) => {
  const { message, hint } = pushFailed(failed(''), summary, { ...about, ...more })
  expect(message).toContain(/\((.*)\)/.exec(summary)![1])
  expect(hint).toContain(advice)
})
