import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Cancelled } from '../../src/errors.ts'
import {
  addToLibrary,
  findInLibrary,
  libraryPath,
  removeFromLibrary,
  updateInLibrary,
} from '../../src/repo/library.ts'
import type { RepoId } from '../../src/repo/reference.ts'
import { sourceOf } from '../../src/repo/repo-source.ts'
import { AlreadyThere } from '../../src/repo/staging.ts'
import { makerMark } from '../../src/system/maker.ts'
import { type GitBench, gitBench } from '../helpers/git.ts'
import { markOfEndedProcess } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'

function libraryOf(bench: GitBench): string {
  return join(bench.root, 'repos')
}

async function add(bench: GitBench, text: string): Promise<string> {
  return addToLibrary(bench.tools, libraryOf(bench), sourceOf(bench.tools, text, bench.root))
}

/** Everything in the library, including hidden temporary directories. */
function entries(bench: GitBench): string[] {
  return existsSync(libraryOf(bench)) ? readdirSync(libraryOf(bench)) : []
}

test('the origin of a local repo is its remote, or its path if it has none', () => {
  const bench = gitBench()
  bench.repo('My Code/näme')
  const path = join(bench.root, 'My Code/näme')
  expect(sourceOf(bench.tools, path, '/')).toEqual({ id: 'local/My-Code/n-me', url: path, fetchUrl: path })
  expect(sourceOf(bench.tools, './My Code/näme/.git', bench.root).fetchUrl).toBe(path)
  bench.git('My Code/näme', 'remote', 'add', 'origin', 'https://me:hunter2@example.com/a/b.git')
  expect(sourceOf(bench.tools, path, '/')).toMatchObject({
    url: 'https://example.com/a/b.git',
    fetchUrl: path,
  })
  bench.git('My Code/näme', 'remote', 'set-url', 'origin', '../other')
  expect(sourceOf(bench.tools, path, '/').url).toBe(join(bench.root, 'My Code/other'))
  bench.git('My Code/näme', 'remote', 'set-url', 'origin', 'ext::sh -c id')
  expect(sourceOf(bench.tools, path, '/').url).toBe(path)
})

test('a path that is not a repo is refused with a suggestion', () => {
  const bench = gitBench()
  bench.repo('app', { 'inner/file': 'x' })
  mkdirSync(join(bench.root, 'plain'))
  const sourceFor = (path: string) => () => sourceOf(bench.tools, path, bench.root)
  expect(sourceFor('../../x')).toThrow('does not exist')
  expect(sourceFor('./plain')).toThrow('is not a git repo')
  expect(sourceFor('./app/inner')).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('repo add') }),
  )
})

test('the library has the branches and tags of the source, and no checked-out files', async () => {
  const bench = gitBench()
  bench.repo('src/app')
  bench.git('src/app', 'branch', 'feature/one')
  bench.git('src/app', 'tag', 'v1')
  const path = await add(bench, './src/app')
  expect(path).toBe(join(libraryOf(bench), 'local/src/app'))
  expect(bench.git('repos/local/src/app', 'for-each-ref', '--format=%(refname)')).toBe(
    'refs/heads/feature/one\nrefs/heads/main\nrefs/tags/v1',
  )
  expect(bench.git('repos/local/src/app', 'rev-parse', '--is-bare-repository')).toBe('true')
  expect(existsSync(join(path, 'hooks'))).toBe(false)
  expect(entries(bench)).toEqual(['local'])
})

test("the user's own git settings apply: url.insteadOf", async () => {
  const bench = gitBench()
  bench.repo('mirror/acme/app.git')
  bench.userConfig(`[url "${bench.root}/mirror/"]\n  insteadOf = https://github.com/\n`)
  expect(await add(bench, 'acme/app')).toBe(libraryPath(libraryOf(bench), 'github.com/acme/app'))
})

test.each(['gone branch', 'detached', 'empty'])(
  'a source with an unusual HEAD can be cloned: %s',
  async kind => {
    const bench = gitBench()
    bench.repo('src/app')
    if (kind === 'gone branch') bench.git('src/app', 'symbolic-ref', 'HEAD', 'refs/heads/gone')
    if (kind === 'detached') bench.git('src/app', 'checkout', '--quiet', '--detach')
    if (kind === 'empty') {
      mkdirSync(join(bench.root, 'void/app'), { recursive: true })
      bench.git('void/app', 'init', '--quiet', '--initial-branch=odd/name')
    }
    await add(bench, kind === 'empty' ? './void/app' : './src/app')
    const head = bench.git(`repos/local/${kind === 'empty' ? 'void' : 'src'}/app`, 'symbolic-ref', 'HEAD')
    expect(head).toBe(kind === 'empty' ? 'refs/heads/odd/name' : 'refs/heads/main')
  },
)

test('an update follows new, moved and deleted branches and tags, and a new default branch', async () => {
  const bench = gitBench()
  bench.repo('src/app')
  bench.git('src/app', 'branch', 'old')
  bench.git('src/app', 'tag', 'moved')
  bench.git('src/app', 'tag', 'dropped')
  const path = await add(bench, './src/app')
  bench.git('src/app', 'branch', '--delete', 'old')
  bench.git('src/app', 'branch', 'old/nested')
  bench.git('src/app', 'tag', '--delete', 'dropped')
  bench.git('src/app', 'commit', '--quiet', '--amend', '--allow-empty', '--message', 'rewritten')
  bench.git('src/app', 'tag', '--force', 'moved')
  bench.git('src/app', 'branch', '--move', 'main', 'trunk')
  await updateInLibrary(bench.tools, path)
  const refs = ['for-each-ref', '--format=%(objectname) %(refname)']
  expect(bench.git('repos/local/src/app', ...refs)).toBe(bench.git('src/app', ...refs))
  expect(bench.git('repos/local/src/app', 'symbolic-ref', 'HEAD')).toBe('refs/heads/trunk')
})

test('the default branch of a directory is not the one that is checked out there', async () => {
  const bench = gitBench()
  bench.repo('src/app')
  bench.git('src/app', 'switch', '--quiet', '--create', 'feature')
  const path = await add(bench, './src/app')
  const head = () => bench.git('repos/local/src/app', 'symbolic-ref', 'HEAD')
  expect(head()).toBe('refs/heads/main')
  bench.git('src/app', 'switch', '--quiet', '--create', 'other')
  await updateInLibrary(bench.tools, path)
  expect(head()).toBe('refs/heads/main')
})

test('the default branch of a bare repo is the one that its HEAD names', async () => {
  const bench = gitBench()
  bench.repo('src/app')
  bench.git('src/app', 'branch', 'stable')
  bench.git('.', 'clone', '--quiet', '--bare', 'src/app', 'hub/app.git')
  const path = await add(bench, './hub/app.git')
  bench.git('hub/app.git', 'symbolic-ref', 'HEAD', 'refs/heads/stable')
  await updateInLibrary(bench.tools, path)
  expect(bench.git('repos/local/hub/app', 'symbolic-ref', 'HEAD')).toBe('refs/heads/stable')
})

test('an update from an unreachable remote keeps the branches', async () => {
  const bench = gitBench()
  bench.repo('src/app')
  const path = await add(bench, './src/app')
  const before = bench.git('repos/local/src/app', 'rev-parse', 'main')
  renameSync(join(bench.root, 'src'), join(bench.root, 'away'))
  await expect(updateInLibrary(bench.tools, path)).rejects.toThrow('cannot fetch')
  expect(bench.git('repos/local/src/app', 'rev-parse', 'main')).toBe(before)
})

test('works if the user allows only explicit bare repos', async () => {
  const bench = gitBench()
  bench.repo('src/app')
  bench.userConfig('[safe]\n  bareRepository = explicit\n[clone]\n  defaultRemoteName = upstream\n')
  await updateInLibrary(bench.tools, await add(bench, './src/app'))
})

test('a failed clone leaves nothing behind, and its message contains no password', async () => {
  const bench = gitBench()
  const failure = await add(bench, 'http://me:hunter2@127.0.0.1:1/acme/app').catch(error => error)
  expect(failure.message).toMatch(/^cannot clone http:\/\/127\.0\.0\.1:1\/acme\/app: .*unable to access/)
  expect(failure.message + failure.hint).not.toContain('hunter2')
  expect(entries(bench)).toEqual([])
})

test('an interrupted clone leaves nothing behind, not even an empty directory', async () => {
  const bench = gitBench()
  const started = join(bench.root, 'started')
  const stalled = join(bench.root, 'stalled-ssh')
  writeFileSync(stalled, `#!/bin/sh\ntouch '${started}'\nexec cat\n`, { mode: 0o755 })
  const tools = { ...bench.tools, env: { ...bench.tools.env, GIT_SSH_COMMAND: stalled } }
  const controller = new AbortController()
  const source = sourceOf(tools, 'git@example.com:acme/app.git', '/')
  const adding = addToLibrary(tools, libraryOf(bench), source, { signal: controller.signal })
  await waitFor('the transfer to begin', () => existsSync(started))
  expect(entries(bench)).toHaveLength(1)
  controller.abort()
  await expect(adding).rejects.toBeInstanceOf(Cancelled)
  expect(entries(bench)).toEqual([])
})

test('of two adds at once, one succeeds and the other reports that the repo exists', async () => {
  const bench = gitBench()
  bench.repo('src/app')
  const results = await Promise.allSettled([add(bench, './src/app'), add(bench, './src/app')])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: expect.any(AlreadyThere),
  })
  expect(entries(bench)).toEqual(['local'])
  expect(readdirSync(join(libraryOf(bench), 'local/src'))).toEqual(['app'])
})

test('ids that differ only in case are the same repo, and no repo lies inside another', async () => {
  const bench = gitBench()
  bench.repo('Src/App')
  await add(bench, './Src/App')
  const find = (id: string) => findInLibrary(libraryOf(bench), id as RepoId)
  expect(find('local/src/app')).toBe('local/Src/App')
  expect(find('local/src/other')).toBeUndefined()
  expect(find('github.com/a/b')).toBeUndefined()
  expect(() => find('local/Src/App/objects')).toThrow('cannot both be')
  mkdirSync(join(libraryOf(bench), 'host/group/sub/app'), { recursive: true })
  expect(() => find('host/group/sub')).toThrow('cannot both be')
})

test('removing a repo removes its empty parent directories, but not its neighbours', async () => {
  const bench = gitBench()
  bench.repo('src/one')
  bench.repo('src/two')
  await add(bench, './src/one')
  await add(bench, './src/two')
  await removeFromLibrary(libraryOf(bench), 'local/src/one')
  expect(readdirSync(join(libraryOf(bench), 'local/src'))).toEqual(['two'])
  await removeFromLibrary(libraryOf(bench), 'local/src/two')
  expect(entries(bench)).toEqual([])
})

test('what a killed process left is removed by the next one, but not a clone in progress', async () => {
  const bench = gitBench()
  bench.repo('src/app')
  const [gone, own] = [`.unfinished-${markOfEndedProcess()}x`, `.unfinished-${makerMark()}x`]
  for (const name of [gone, own]) mkdirSync(join(libraryOf(bench), name, 'x'), { recursive: true })
  await add(bench, './src/app')
  expect(entries(bench).sort()).toEqual([own, 'local'])
})
