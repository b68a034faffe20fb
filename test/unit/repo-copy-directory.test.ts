import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Cancelled } from '../../src/errors.ts'
import { copyArguments, copyDirectory } from '../../src/repo/copy-directory.ts'
import type { Result, Runner, StreamOptions } from '../../src/system/runner.ts'
import { type GitBench, gitBench, writeBelow } from '../helpers/git.ts'

test('a copy has uncommitted changes, symbolic links and permissions', async () => {
  const bench = gitBench()
  const from = bench.repo('one/agent')
  writeBelow(from, 'untracked', 'x')
  writeBelow(from, 'README.md', 'changed')
  writeBelow(from, '-rf/--odd name', 'x')
  symlinkSync('/nowhere', join(from, 'link'))
  chmodSync(join(from, 'untracked'), 0o700)
  const to = join(bench.root, 'two/agent')
  await copyDirectory({ ...bench.tools, from, to })
  expect(readdirSync(to).sort()).toEqual(readdirSync(from).sort())
  expect(readlinkSync(join(to, 'link'))).toBe('/nowhere')
  expect(statSync(join(to, 'untracked')).mode & 0o777).toBe(0o700)
  expect(bench.git('two/agent', 'status', '--short')).toBe(bench.git('one/agent', 'status', '--short'))
  writeBelow(to, 'README.md', 'again')
  expect(readFileSync(join(from, 'README.md'), 'utf8')).toBe('changed')
  expect(readdirSync(join(bench.root, 'two'))).toEqual(['agent'])
})

test('a linked worktree inside the directory belongs to the copy; one outside or behind a link does not', async () => {
  const bench = gitBench()
  const from = bench.repo('one/agent')
  bench.git('one/agent', 'worktree', 'add', '--quiet', '-b', 'inside', '.claude/worktrees/inside')
  bench.git('one/agent', 'worktree', 'add', '--quiet', '-b', 'outside', '../outside')
  mkdirSync(join(from, '.git/worktrees/evil'))
  writeBelow(bench.root, 'precious/.git', 'precious')
  symlinkSync(join(bench.root, 'precious'), join(from, 'trap'))
  writeFileSync(join(from, '.git/worktrees/evil/gitdir'), join(from, 'trap/.git'))
  const to = join(bench.root, 'two/agent')
  await copyDirectory({ ...bench.tools, from, to })
  bench.commit('two/agent/.claude/worktrees/inside', { work: 'x' })
  expect(bench.git('two/agent', 'log', '--oneline', 'inside').split('\n')).toHaveLength(2)
  expect(bench.git('one/agent', 'log', '--oneline', 'inside').split('\n')).toHaveLength(1)
  expect(readdirSync(join(to, '.git/worktrees'))).toEqual(['inside'])
  expect(readFileSync(join(bench.root, 'precious/.git'), 'utf8')).toBe('precious')
  expect(bench.git('one/outside', 'rev-parse', '--git-common-dir')).toBe(join(from, '.git'))
})

test.each([
  ['behind a link', (text: string) => text],
  ['by a relative path', () => '../../../.claude/worktrees/inside/.git\n'],
])('a linked worktree inside the directory belongs to the copy %s', async (_how, rewritten) => {
  const bench = gitBench()
  bench.repo('real/agent')
  bench.git('real/agent', 'worktree', 'add', '--quiet', '-b', 'inside', '.claude/worktrees/inside')
  const pointer = join(bench.root, 'real/agent/.git/worktrees/inside/gitdir')
  writeFileSync(pointer, rewritten(readFileSync(pointer, 'utf8')))
  symlinkSync('real', join(bench.root, 'link'))
  await copyDirectory({
    ...bench.tools,
    from: join(bench.root, 'link/agent'),
    to: join(bench.root, 'link/copy'),
  })
  bench.commit('link/copy/.claude/worktrees/inside', { work: 'x' })
  expect(bench.git('link/copy', 'log', '--oneline', 'inside').split('\n')).toHaveLength(2)
  expect(bench.git('link/agent', 'log', '--oneline', 'inside').split('\n')).toHaveLength(1)
})

test('an interrupted copy leaves nothing behind', async () => {
  const bench = gitBench()
  const from = bench.repo('one/agent')
  const controller = new AbortController()
  const exec: Runner = {
    ...bench.tools.exec,
    stream(file, args, options) {
      controller.abort()
      return bench.tools.exec.stream(file, args, options)
    },
  }
  const to = join(bench.root, 'two/agent')
  const copying = copyDirectory({ ...bench.tools, exec, from, to, signal: controller.signal })
  await expect(copying).rejects.toBeInstanceOf(Cancelled)
  expect(existsSync(join(bench.root, 'two'))).toBe(false)
})

test('if cp cannot share blocks, it runs again without sharing', async () => {
  const bench = gitBench()
  const from = bench.repo('one/agent')
  const refused: Result = {
    exitCode: 1,
    signal: null,
    stdout: '',
    stderr: 'unrecognized option',
    missing: false,
  }
  const exec: Runner = {
    ...bench.tools.exec,
    stream: async (file, args, options) =>
      args.includes('--reflink=auto') ? refused : bench.tools.exec.stream(file, args, options),
  }
  const to = join(bench.root, 'two/agent')
  await copyDirectory({ ...bench.tools, exec, from, to, platform: 'linux' })
  expect(readdirSync(to).sort()).toEqual(['.git', 'README.md'])
})

/** A cp that copies, and then prints this to stderr. */
function complaining(bench: GitBench, stderr: string): Runner & { asked: StreamOptions[] } {
  const asked: StreamOptions[] = []
  return {
    ...bench.tools.exec,
    asked,
    stream: async (file, args, options = {}) => {
      asked.push(options)
      return { ...(await bench.tools.exec.stream(file, args, options)), exitCode: 1, stderr }
    },
  }
}

test('files that the original removes during the copy are not an error', async () => {
  const bench = gitBench()
  const from = bench.repo('one/agent')
  const exec = complaining(
    bench,
    `cp: cannot stat '${from}/.git/index.lock': No such file or directory
cp: cannot open '${from}/.git/objects/4f/tmp_obj_x' for reading: No such file or directory\n`,
  )
  const to = join(bench.root, 'two/agent')
  await copyDirectory({ ...bench.tools, exec, from, to, platform: 'linux' })
  expect(readdirSync(to).sort()).toEqual(['.git', 'README.md'])
  expect(exec.asked).toMatchObject([{ env: { LC_ALL: 'C' } }])
})

test.each([
  "cp: cannot stat 'one/.git/objects/4f/8a07': No such file or directory",
  "cp: cannot create regular file 'two/x': No such file or directory",
  "cp: error writing 'two/x': No space left on device",
])('an incomplete copy is an error: %s', async stderr => {
  const bench = gitBench()
  const from = bench.repo('one/agent')
  const exec = complaining(bench, `cp: cannot stat 'x': No such file or directory\n${stderr}\n`)
  const copying = copyDirectory({
    ...bench.tools,
    exec,
    from,
    to: join(bench.root, 'two/agent'),
    platform: 'linux',
  })
  await expect(copying).rejects.toThrow(`cannot copy ${from}`)
  expect(exec.asked).toHaveLength(1)
  expect(existsSync(join(bench.root, 'two'))).toBe(false)
})

test('on macOS cp clones files', () => {
  expect(copyArguments('darwin', '/from', '/to')).toEqual([['-Rpc', '/from', '/to']])
})
