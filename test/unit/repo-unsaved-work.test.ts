import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeUnsavedWork } from '../../src/repo/unsaved-work.ts'
import { type GitBench, gitBench, writeBelow } from '../helpers/git.ts'

function pushedCopy(bench: GitBench): string {
  bench.repo('origin')
  bench.git('.', 'clone', '--quiet', 'origin', 'copy')
  return join(bench.root, 'copy')
}

function lossesIn(bench: GitBench, directory: string, library?: string): string[] {
  return describeUnsavedWork({
    ...bench.tools,
    directory: join(bench.root, directory),
    ...(library === undefined ? {} : { library: join(bench.root, library) }),
  })
}

test('a fresh copy has no unsaved work, and ignored files do not count', () => {
  const bench = gitBench()
  const copy = pushedCopy(bench)
  writeBelow(copy, '.git/info/exclude', 'build\n')
  writeBelow(copy, 'build/out', 'x')
  expect(lossesIn(bench, 'copy')).toEqual([])
  expect(lossesIn(bench, 'nowhere')).toEqual([])
})

test('changed, staged, deleted and new files are named, without escape sequences', () => {
  const bench = gitBench()
  const copy = pushedCopy(bench)
  bench.commit('origin', { a: '1', b: '2' })
  bench.git('copy', 'pull', '--quiet')
  writeBelow(copy, 'a', 'changed')
  rmSync(join(copy, 'b'))
  writeBelow(copy, 'staged', 'x')
  bench.git('copy', 'add', 'staged')
  for (const name of ['\u001b[31mred', 'two', 'three', 'four']) writeBelow(copy, name, 'x')
  expect(lossesIn(bench, 'copy')).toEqual([
    '3 uncommitted files: a, b, staged',
    '4 untracked files: red, four, three, …',
  ])
})

test.each([
  ['on the default branch', (bench: GitBench) => bench.commit('copy', { x: '1' })],
  [
    'on another branch',
    (bench: GitBench) => {
      bench.git('copy', 'switch', '--quiet', '--create', 'other')
      bench.commit('copy', { x: '1' })
      bench.git('copy', 'switch', '--quiet', 'main')
    },
  ],
  [
    'on no branch',
    (bench: GitBench) => {
      bench.git('copy', 'checkout', '--quiet', '--detach')
      bench.commit('copy', { x: '1' })
    },
  ],
])('unpushed commits %s are counted', (_where, commit) => {
  const bench = gitBench()
  pushedCopy(bench)
  commit(bench)
  expect(lossesIn(bench, 'copy')).toEqual(['1 unpushed commit'])
})

test('a repo without a remote or a commit is handled', () => {
  const bench = gitBench()
  mkdirSync(join(bench.root, 'fresh'))
  bench.git('fresh', 'init', '--quiet')
  expect(lossesIn(bench, 'fresh')).toEqual([])
  bench.commit('fresh', { x: '1' })
  expect(lossesIn(bench, 'fresh')).toEqual(['1 unpushed commit'])
})

test('a tag of the remote that is on no branch does not count as unsaved work', () => {
  const bench = gitBench()
  bench.repo('origin')
  bench.git('origin', 'switch', '--quiet', '--detach')
  bench.commit('origin', { release: '1' })
  bench.git('origin', 'tag', 'v1')
  bench.git('origin', 'switch', '--quiet', 'main')
  bench.git('.', 'clone', '--quiet', 'origin', 'copy')
  expect(lossesIn(bench, 'copy')).toEqual([])
})

test('commits that only a local tag reaches are counted, but not those of a tag in the library', () => {
  const bench = gitBench()
  bench.repo('origin')
  bench.git('origin', 'switch', '--quiet', '--detach')
  bench.commit('origin', { release: '1' })
  bench.git('origin', 'tag', '--annotate', '--message', 'x', 'v1')
  bench.git('origin', 'switch', '--quiet', 'main')
  bench.git('.', 'clone', '--quiet', '--bare', 'origin', 'library')
  bench.git('.', 'clone', '--quiet', 'library', 'copy')
  expect(lossesIn(bench, 'copy', 'library')).toEqual([])
  bench.git('copy', 'switch', '--quiet', '--detach')
  bench.commit('copy', { x: '1' })
  bench.git('copy', 'tag', '--force', 'v1')
  bench.git('copy', 'switch', '--quiet', 'main')
  expect(lossesIn(bench, 'copy', 'library')).toEqual(['1 unpushed commit'])
  expect(lossesIn(bench, 'copy', 'a library that is gone')).toEqual(['1 unpushed commit'])
})

test.each(['--skip-worktree', '--assume-unchanged'])('changes hidden by %s are named', flag => {
  const bench = gitBench()
  pushedCopy(bench)
  symlinkSync('nowhere', join(bench.root, 'origin/link'))
  bench.commit('origin', { a: '1', 'with space': '2', gone: '3', same: '4' })
  bench.git('copy', 'pull', '--quiet')
  bench.git('copy', 'worktree', 'add', '--quiet', '--detach', '../tree')
  const hidden = ['a', 'with space', 'gone', 'same', 'link']
  bench.git('copy', 'update-index', flag, ...hidden)
  bench.git('tree', 'update-index', flag, ...hidden)
  rmSync(join(bench.root, 'copy/gone'))
  expect(lossesIn(bench, 'copy')).toEqual([])
  writeBelow(join(bench.root, 'copy'), 'with space', 'changed')
  writeBelow(join(bench.root, 'tree'), 'a', 'changed')
  expect(lossesIn(bench, 'copy')).toEqual(['2 uncommitted files: with space, ../tree/a'])
})

test('files behind a symbolic link are counted once', () => {
  const bench = gitBench()
  pushedCopy(bench)
  symlinkSync('copy', join(bench.root, 'link'))
  writeBelow(bench.root, 'copy/new', 'x')
  expect(lossesIn(bench, 'link')).toEqual(['1 untracked file: new'])
})

test('stashes are counted', () => {
  const bench = gitBench()
  const copy = pushedCopy(bench)
  for (const text of ['one', 'two']) {
    writeBelow(copy, 'README.md', text)
    bench.git('copy', 'stash')
  }
  expect(lossesIn(bench, 'copy')).toEqual(['2 stashes'])
})

test('linked worktrees and submodules are searched', () => {
  const bench = gitBench()
  const copy = pushedCopy(bench)
  bench.repo('library')
  bench.git(
    'origin',
    '-c',
    'protocol.file.allow=always',
    'submodule',
    'add',
    '--quiet',
    `${bench.root}/library`,
    'sub',
  )
  bench.commit('origin', { '.gitignore': 'trees\n' })
  bench.git('copy', 'pull', '--quiet')
  bench.git('copy', '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init')
  bench.git('copy', 'worktree', 'add', '--quiet', '--detach', 'trees/one')
  expect(lossesIn(bench, 'copy')).toEqual([])
  writeBelow(copy, 'trees/one/new', 'x')
  writeBelow(copy, 'sub/README.md', 'changed')
  bench.git('copy/sub', 'switch', '--quiet', '--create', 'work')
  bench.commit('copy/sub', { more: 'x' })
  writeBelow(copy, 'sub/README.md', 'changed again')
  const losses = lossesIn(bench, 'copy')
  expect(losses).toEqual([
    '2 uncommitted files: sub, sub/README.md',
    '1 untracked file: trees/one/new',
    '1 unpushed commit',
  ])
})

test('in a directory without git all files count', () => {
  const bench = gitBench()
  mkdirSync(join(bench.root, 'plain/empty'), { recursive: true })
  expect(lossesIn(bench, 'plain')).toEqual([])
  symlinkSync('nowhere', join(bench.root, 'plain/empty/link'))
  expect(lossesIn(bench, 'plain')).toEqual(['files in a directory that is not a git repo'])
})

test('if git fails, the work counts as unsaved', () => {
  const bench = gitBench()
  const copy = pushedCopy(bench)
  writeFileSync(join(copy, '.git/HEAD'), 'garbage')
  expect(lossesIn(bench, 'copy')).toEqual([expect.stringContaining('cannot tell')])
  const odd = gitBench()
  pushedCopy(odd)
  odd.git('copy', 'config', 'filter.a=b.clean', 'x')
  expect(lossesIn(odd, 'copy')).toEqual([expect.stringContaining('cannot tell')])
})

test('the check runs no program that the settings of the repo name', () => {
  const bench = gitBench()
  const copy = pushedCopy(bench)
  const mark = join(bench.root, 'ran')
  const program = join(bench.root, 'program')
  writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\nexec cat\n`, { mode: 0o755 })
  mkdirSync(join(copy, '.git/evil'))
  for (const hook of ['post-index-change', 'fsmonitor-watchman', 'reference-transaction']) {
    symlinkSync(program, join(copy, '.git/evil', hook))
  }
  const settings = {
    'core.fsmonitor': program,
    'core.hooksPath': join(copy, '.git/evil'),
    'core.worktree': join(bench.root, 'origin'),
    'core.sshCommand': program,
    'core.pager': program,
    'filter.evil.clean': program,
    'filter.evil.process': program,
    'filter.evil.required': 'true',
    'diff.external': program,
    'gpg.program': program,
    'log.showSignature': 'true',
    'remote.origin.promisor': 'true',
    'remote.origin.url': `ext::${program}`,
  }
  for (const [key, value] of Object.entries(settings)) bench.git('copy', 'config', key, value)
  writeBelow(copy, '.gitattributes', '* filter=evil\n')
  writeBelow(copy, 'README.md', 'HELLO\n')
  expect(lossesIn(bench, 'copy')).toEqual([
    '1 uncommitted file: README.md',
    '1 untracked file: .gitattributes',
  ])
  expect(existsSync(mark)).toBe(false)
})

test('missing objects are not fetched, because the repo chooses the program that fetches', () => {
  const bench = gitBench()
  const copy = pushedCopy(bench)
  const mark = join(bench.root, 'ran')
  const program = join(bench.root, 'program')
  writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 })
  bench.git('copy', 'config', 'core.repositoryFormatVersion', '1')
  bench.git('copy', 'config', 'extensions.partialClone', 'origin')
  bench.git('copy', 'config', 'remote.origin.promisor', 'true')
  bench.git('copy', 'config', 'remote.origin.url', 'ssh://example.com/a/b')
  bench.git('copy', 'config', 'core.sshCommand', program)
  const commit = bench.git('copy', 'rev-parse', 'HEAD')
  rmSync(join(copy, '.git/objects', commit.slice(0, 2), commit.slice(2)))
  expect(lossesIn(bench, 'copy')).toEqual([expect.stringContaining('cannot tell')])
  expect(existsSync(mark)).toBe(false)
})
