import { expect, test } from 'vitest'
import { forEachInParallel } from '../../src/io/parallel.ts'
import { resolveRepo } from '../../src/repo/choose-repo.ts'
import { chooseHead } from '../../src/repo/library.ts'

const ids = ['github.com/acme/app', 'github.com/acme/site', 'gitlab.com/acme/app', 'local/code/tool']

test.each([
  ['github.com/acme/app', 'github.com/acme/app'],
  ['GitHub.com/Acme/App', 'github.com/acme/app'],
  ['acme/site', 'github.com/acme/site'],
  ['tool', 'local/code/tool'],
  ['code/tool.git', 'local/code/tool'],
  ['git@github.com:acme/app.git', 'github.com/acme/app'],
  ['https://gitlab.com/acme/app', 'gitlab.com/acme/app'],
])('%s is %s', (word, id) => {
  expect(resolveRepo(word, ids)).toBe(id)
})

test('an ambiguous or unknown name lists the candidates', () => {
  expect(() => resolveRepo('app', ids)).toThrow(
    expect.objectContaining({ exitCode: 64, hint: 'Repos:\n  github.com/acme/app\n  gitlab.com/acme/app' }),
  )
  expect(() => resolveRepo('acme/app', ids)).toThrow('matches 2')
  expect(() => resolveRepo('ol', ids)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('acme/site') }),
  )
  expect(() => resolveRepo('x', [])).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('repo add') }),
  )
})

const branch = (name: string, commit: string) => ({ ref: `refs/heads/${name}`, commit })

test.each([
  ['the remote says', [branch('main', '1'), branch('next', '2')], 'refs/heads/next', '1', 'refs/heads/next'],
  [
    'the remote names one that is gone',
    [branch('dev', '1'), branch('main', '2')],
    'refs/heads/gone',
    '',
    'refs/heads/main',
  ],
  ['detached at a branch', [branch('a', '1'), branch('main', '2')], undefined, '1', 'refs/heads/a'],
  ['detached at two branches', [branch('a', '1'), branch('main', '1')], undefined, '1', 'refs/heads/main'],
  ['detached elsewhere', [branch('a', '1'), branch('b', '2')], undefined, '3', 'refs/heads/a'],
  ['no branches', [], 'refs/heads/main', '', undefined],
])('the default branch when %s', (_when, branches, remoteDefault, headCommit, expected) => {
  expect(chooseHead(branches, [remoteDefault], headCommit)).toBe(expected)
})

test('all tasks run, and never more than the limit at once', async () => {
  let running = 0
  let most = 0
  const seen: number[] = []
  await forEachInParallel([1, 2, 3, 4, 5, 6, 7], 3, async item => {
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    seen.push(item)
    running--
  })
  expect(most).toBe(3)
  expect(seen.sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
})
