import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addToLibrary, updateInLibrary } from '../../src/repo/library.ts'
import type { RepoId } from '../../src/repo/reference.ts'
import { sourceOf } from '../../src/repo/repo-source.ts'
import { createWorkingCopy, remotesOf, type Start } from '../../src/repo/working-copy.ts'
import { type GitBench, gitBench } from '../helpers/git.ts'

const library = 'repos/local/src/app'

/** A repo in src/app, cloned from hub/app.git, with the branch `wip` and a commit on `main` that were never pushed. */
function withOrigin(): GitBench {
  const bench = gitBench()
  bench.repo('seed')
  bench.git('seed', 'branch', 'shared')
  bench.git('.', 'clone', '--quiet', '--bare', 'seed', 'hub/app.git')
  bench.git('.', 'clone', '--quiet', 'hub/app.git', 'src/app')
  bench.git('src/app', 'branch', 'wip')
  bench.commit('src/app', { unpushed: 'x' })
  return bench
}

async function add(bench: GitBench): Promise<void> {
  await addToLibrary(
    bench.tools,
    join(bench.root, 'repos'),
    sourceOf(bench.tools, join(bench.root, 'src/app'), '/'),
  )
}

/** Creates a working copy as a mission gets it, and returns a git for it. */
async function copy(bench: GitBench, name = 'copy', start?: Start): Promise<(...args: string[]) => string> {
  const { url } = sourceOf(bench.tools, join(bench.root, 'src/app'), '/')
  const source = join(bench.root, library)
  const remotes = remotesOf(bench.tools, { id: 'local/src/app' as RepoId, url, library: source })
  await createWorkingCopy({
    ...bench.tools,
    source,
    destination: join(bench.root, name, 'agent'),
    ...remotes,
    ...(start ? { start } : {}),
  })
  return (...args) => bench.git(`${name}/agent`, ...args)
}

const branches = ['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/remotes']

test('a repo added by path keeps its unpushed branches out of origin', async () => {
  const bench = withOrigin()
  await add(bench)
  const git = await copy(bench)
  expect(git(...branches).split('\n')).toEqual([
    'local/HEAD',
    'local/main',
    'local/wip',
    'origin/HEAD',
    'origin/main',
    'origin/shared',
  ])
  expect(git('rev-parse', '--abbrev-ref', 'origin/HEAD')).toBe('origin/main')
  expect(git('config', 'remote.local.url')).toBe(join(bench.root, 'src/app'))
  expect(git('config', 'remote.origin.url')).toBe(join(bench.root, 'hub/app.git'))
  expect(git('status', '--short', '--branch')).toBe('## main...origin/main [ahead 1]')
  expect(git('rev-parse', 'origin/main')).toBe(bench.git('hub/app.git', 'rev-parse', 'main'))
  expect(git('rev-parse', 'main')).toBe(bench.git('src/app', 'rev-parse', 'main'))
  git('fetch', '--quiet', '--all', '--prune')
  expect(git(...branches).split('\n')).toHaveLength(6)
})

test('a branch that both have is switched to as that of origin, and any branch is pushed to origin', async () => {
  const bench = withOrigin()
  bench.git('src/app', 'branch', 'shared', 'origin/shared')
  await add(bench)
  const git = await copy(bench)
  git('switch', '--quiet', 'shared')
  expect(git('status', '--short', '--branch')).toBe('## shared...origin/shared')
  git('switch', '--quiet', 'wip')
  git('push', '--quiet')
  expect(bench.git('hub/app.git', 'rev-parse', 'wip')).toBe(git('rev-parse', 'wip'))
})

test('a mission that starts on an unpushed branch tracks nothing, so that git asks before it is pushed', async () => {
  const bench = withOrigin()
  await add(bench)
  const commit = bench.git('src/app', 'rev-parse', 'wip')
  const git = await copy(bench, 'copy', { commit, branch: 'wip', isNew: false })
  expect(git('status', '--short', '--branch')).toBe('## wip')
})

test('an update follows what the source knows of its origin', async () => {
  const bench = withOrigin()
  await add(bench)
  bench.git('src/app', 'push', '--quiet', 'origin', 'wip', ':shared')
  bench.git('src/app', 'fetch', '--quiet', '--prune')
  bench.git('src/app', 'branch', 'later')
  await updateInLibrary(bench.tools, join(bench.root, library))
  const git = await copy(bench)
  const found = git(...branches).split('\n')
  expect(found).not.toContain('origin/shared')
  expect(found).toEqual(expect.arrayContaining(['origin/wip', 'local/later']))
})

test('a library of an earlier version has no branches of origin, and gets them with the next update', async () => {
  const bench = withOrigin()
  await add(bench)
  for (const ref of ['HEAD', 'main', 'shared'])
    bench.git(library, 'update-ref', '--no-deref', '-d', `refs/remotes/origin/${ref}`)
  const before = await copy(bench)
  expect(before(...branches)).toBe('local/HEAD\nlocal/main\nlocal/wip')
  expect(before('status', '--short', '--branch')).toBe('## main')
  await updateInLibrary(bench.tools, join(bench.root, library))
  const git = await copy(bench, 'later')
  expect(git('rev-parse', '--abbrev-ref', 'origin/HEAD')).toBe('origin/main')
})

test('works after the source was moved away, and with a shallow source', async () => {
  const bench = withOrigin()
  renameSync(join(bench.root, 'src/app'), join(bench.root, 'full'))
  bench.git(
    '.',
    'clone',
    '--quiet',
    '--depth=1',
    '--no-single-branch',
    `file://${bench.root}/hub/app.git`,
    'src/app',
  )
  bench.git('src/app', 'remote', 'set-url', 'origin', join(bench.root, 'hub/app.git'))
  bench.commit('src/app', { unpushed: 'x' })
  await add(bench)
  const { url } = sourceOf(bench.tools, join(bench.root, 'src/app'), '/')
  renameSync(join(bench.root, 'src/app'), join(bench.root, 'away'))
  const source = join(bench.root, library)
  const remotes = remotesOf(bench.tools, { id: 'local/src/app' as RepoId, url, library: source })
  await createWorkingCopy({ ...bench.tools, source, destination: join(bench.root, 'copy/agent'), ...remotes })
  expect(bench.git('copy/agent', 'status', '--short', '--branch')).toBe('## main...origin/main [ahead 1]')
})

test('a source without an origin is the origin itself', async () => {
  const bench = gitBench()
  bench.repo('src/app')
  await add(bench)
  const git = await copy(bench)
  expect(git('remote')).toBe('origin')
  expect(git(...branches)).toBe('origin/HEAD\norigin/main')
})
