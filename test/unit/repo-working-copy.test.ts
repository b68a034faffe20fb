import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Cancelled } from '../../src/errors.ts'
import { addToLibrary } from '../../src/repo/library.ts'
import { sourceOf } from '../../src/repo/repo-source.ts'
import { createWorkingCopy, type WorkingCopy } from '../../src/repo/working-copy.ts'
import type { Runner } from '../../src/system/runner.ts'
import { type GitBench, gitBench } from '../helpers/git.ts'

const remoteUrl = 'https://example.com/acme/app.git'

async function copyOf(
  bench: GitBench,
  path = './src/app',
  options: Partial<WorkingCopy> = {},
): Promise<string> {
  const source = await addToLibrary(
    bench.tools,
    join(bench.root, 'repos'),
    sourceOf(bench.tools, path, bench.root),
  )
  const destination = join(bench.root, 'mission/agent')
  await createWorkingCopy({ ...bench.tools, source, destination, remoteUrl, ...options })
  return destination
}

/** A program that creates a file when git runs it. */
function marking(bench: GitBench, name: string): { program: string; ran: () => boolean } {
  const program = join(bench.root, name)
  const mark = `${program}.ran`
  writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\nexec cat\n`, { mode: 0o755 })
  return { program, ran: () => existsSync(mark) }
}

test('a working copy is a clone with the real origin, a tracking default branch, all branches and tags', async () => {
  const bench = gitBench()
  bench.repo('src/app')
  bench.git('src/app', 'branch', 'feature')
  bench.git('src/app', 'tag', 'v1')
  await copyOf(bench)
  const git = (...args: string[]) => bench.git('mission/agent', ...args)
  expect(git('remote', '--verbose')).toBe(`origin\t${remoteUrl} (fetch)\norigin\t${remoteUrl} (push)`)
  expect(git('status', '--short', '--branch')).toBe('## main...origin/main')
  expect(git('for-each-ref', '--format=%(refname)').split('\n')).toEqual([
    'refs/heads/main',
    'refs/remotes/origin/HEAD',
    'refs/remotes/origin/feature',
    'refs/remotes/origin/main',
    'refs/tags/v1',
  ])
  expect(git('config', 'remote.origin.fetch')).toBe('+refs/heads/*:refs/remotes/origin/*')
  expect(readdirSync(join(bench.root, 'mission'))).toEqual(['agent'])
})

test('objects are hard links, and the copy works without the library', async () => {
  const bench = gitBench()
  bench.repo('src/app')
  const copy = await copyOf(bench)
  const packs = join(copy, '.git/objects/pack')
  for (const pack of readdirSync(packs)) expect(statSync(join(packs, pack)).nlink).toBe(2)
  expect(existsSync(join(copy, '.git/objects/info/alternates'))).toBe(false)
  rmSync(join(bench.root, 'repos'), { recursive: true })
  expect(bench.git('mission/agent', 'fsck', '--full')).toBe('')
  bench.commit('mission/agent', { new: 'work' })
})

test('an empty repo starts on the branch that its first commit creates', async () => {
  const bench = gitBench()
  mkdirSync(join(bench.root, 'src/app'), { recursive: true })
  bench.git('src/app', 'init', '--quiet', '--initial-branch=odd/name')
  await copyOf(bench)
  expect(bench.git('mission/agent', 'symbolic-ref', 'HEAD')).toBe('refs/heads/odd/name')
  bench.commit('mission/agent', { first: 'x' })
})

test('an unusual default branch is checked out', async () => {
  const bench = gitBench()
  bench.repo('src/app')
  bench.git('src/app', 'branch', '--move', 'main', 'release/2.0')
  await copyOf(bench)
  expect(bench.git('mission/agent', 'status', '--short', '--branch')).toBe(
    '## release/2.0...origin/release/2.0',
  )
})

test('submodules are not cloned, and their relative URLs resolve against the real origin', async () => {
  const bench = gitBench()
  bench.repo('src/lib')
  bench.repo('src/app')
  const allowFile = ['-c', 'protocol.file.allow=always']
  bench.git('src/app', ...allowFile, 'submodule', 'add', '--quiet', '../lib', 'lib')
  bench.git(
    'src/app',
    ...allowFile,
    'submodule',
    'add',
    '--quiet',
    '--force',
    '--name',
    'evil',
    './.git',
    'evil',
  )
  bench.git('src/app', 'config', '--file', '.gitmodules', 'submodule.evil.url', 'ext::sh -c "touch evil-ran"')
  bench.commit('src/app', {})
  bench.userConfig('[submodule]\n  recurse = true\n[clone]\n  defaultRemoteName = upstream\n')
  const copy = await copyOf(bench)
  expect(readdirSync(join(copy, 'lib'))).toEqual([])
  expect(existsSync(join(copy, '.git/modules'))).toBe(false)
  bench.git('mission/agent', 'submodule', 'init', 'lib')
  expect(bench.git('mission/agent', 'config', 'submodule.lib.url')).toBe('https://example.com/acme/lib')
  expect(bench.git('mission/agent', '-c', 'submodule.recurse=false', 'status', '--short')).toBe('')
})

test('an untrusted repo runs no filter, no hook and no file system monitor', async () => {
  const bench = gitBench()
  bench.repo('src/app', { '.gitattributes': '* filter=mine\n', file: 'content\n' })
  const [smudge, process, hook, monitor] = ['smudge', 'process', 'hook', 'monitor'].map(name =>
    marking(bench, name),
  )
  mkdirSync(join(bench.root, 'template/hooks'), { recursive: true })
  for (const name of ['post-checkout', 'post-index-change', 'reference-transaction']) {
    symlinkSync(hook!.program, join(bench.root, 'template/hooks', name))
  }
  bench.userConfig(`
[filter "mine"]
  smudge = ${smudge!.program}
  required = true
[filter "other.with dots"]
  process = ${process!.program}
[core]
  fsmonitor = ${monitor!.program}
[init]
  templateDir = ${bench.root}/template
`)
  const copy = await copyOf(bench)
  for (const program of [smudge, process, hook, monitor]) expect(program!.ran()).toBe(false)
  expect(readFileSync(join(copy, 'file'), 'utf8')).toBe('content\n')
  expect(existsSync(join(copy, '.git/hooks/post-checkout'))).toBe(true)

  const trusted = join(bench.root, 'trusted/agent')
  const source = join(bench.root, 'repos/local/src/app')
  await createWorkingCopy({ ...bench.tools, source, destination: trusted, remoteUrl, trusted: true })
  expect([smudge!.ran(), hook!.ran()]).toEqual([true, false])
})

test('links that point outside and names with escape sequences are copied', async () => {
  const bench = gitBench()
  const outside = join(bench.root, 'outside')
  mkdirSync(outside)
  bench.repo('src/app', { '\u001b[31mred\u0007': 'x', 'new\nline': 'x' })
  symlinkSync(outside, join(bench.root, 'src/app/away'))
  bench.commit('src/app', {})
  const copy = await copyOf(bench)
  expect(readlinkSync(join(copy, 'away'))).toBe(outside)
  expect(readdirSync(outside)).toEqual([])
  expect(existsSync(join(copy, '\u001b[31mred\u0007'))).toBe(true)
})

test('git variables in the environment that name another repo are ignored', async () => {
  const bench = gitBench()
  bench.repo('src/app')
  const elsewhere = bench.repo('elsewhere', { other: 'x' })
  const env = {
    ...bench.tools.env,
    GIT_DIR: join(elsewhere, '.git'),
    GIT_INDEX_FILE: '/nowhere',
    GIT_WORK_TREE: elsewhere,
  }
  const copy = await copyOf(bench, './src/app', { env })
  expect(readdirSync(copy).sort()).toEqual(['.git', 'README.md'])
})

test.each(['clone', 'read-tree'])('an interruption during %s leaves nothing behind', async step => {
  const bench = gitBench()
  bench.repo('src/app')
  const controller = new AbortController()
  const exec: Runner = {
    ...bench.tools.exec,
    stream(file, args, options) {
      if (args.includes(step)) controller.abort()
      return bench.tools.exec.stream(file, args, options)
    },
  }
  const source = await addToLibrary(
    bench.tools,
    join(bench.root, 'repos'),
    sourceOf(bench.tools, './src/app', bench.root),
  )
  const destination = join(bench.root, 'missions/one/agent')
  const { signal } = controller
  await expect(
    createWorkingCopy({ ...bench.tools, exec, source, destination, remoteUrl, signal }),
  ).rejects.toBeInstanceOf(Cancelled)
  expect(existsSync(join(bench.root, 'missions'))).toBe(false)
})

test('a copy that fails gives the reason and leaves nothing behind', async () => {
  const bench = gitBench()
  const destination = join(bench.root, 'mission/agent')
  const source = join(bench.root, 'gone')
  await expect(createWorkingCopy({ ...bench.tools, source, destination, remoteUrl })).rejects.toThrow(
    'cannot copy',
  )
  expect(existsSync(join(bench.root, 'mission'))).toBe(false)
})
