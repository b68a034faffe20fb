import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { keptRefs } from '../../src/git-work/mission-repo.ts'
import { packLibrary } from '../../src/git-work/pack-library.ts'
import { takeSnapshot } from '../../src/git-work/snapshot.ts'
import type { Runner } from '../../src/system/runner.ts'
import { gitBench } from '../helpers/git.ts'
import { smallDisk } from '../helpers/small-disk.ts'
import { markingProgram, type SnapshotBench, snapshotBench, untouched } from '../helpers/snapshot-bench.ts'
import { waitFor } from '../helpers/wait.ts'

async function withHeldLock(path: string, work: () => Promise<void>): Promise<void> {
  mkdirSync(`${path}.lock`)
  await work()
  rmSync(`${path}.lock`, { recursive: true })
}

const packs = (bench: SnapshotBench) => readdirSync(join(bench.library, 'objects', 'pack'))
const staging = (bench: SnapshotBench) =>
  readdirSync(bench.library).filter(name => name.startsWith('.unfinished-'))

/** The library has everything that its refs reach, by itself. */
function expectWhole(bench: SnapshotBench): void {
  const away = `${bench.directory}.away`
  renameSync(bench.directory, away)
  expect(bench.kept('fsck', '--connectivity-only', '--no-dangling')).toBe('')
  expect(existsSync(join(bench.library, 'objects/info/alternates'))).toBe(false)
  expect(staging(bench)).toEqual([])
  renameSync(away, bench.directory)
}

describe('the files of a snapshot', () => {
  test('are the working tree: changed, new, deleted, moved, executable, links, a file that became a directory', async () => {
    const bench = await snapshotBench(({ repo }) => {
      repo('src/app', {
        gone: 'x\n',
        old: 'moved\n',
        tool: '#!/bin/sh\n',
        file: 'f\n',
        'dir/in': 'd\n',
        same: 's\n',
      })
    })
    rmSync(join(bench.directory, 'gone'))
    renameSync(join(bench.directory, 'old'), join(bench.directory, 'new'))
    chmodSync(join(bench.directory, 'tool'), 0o755)
    rmSync(join(bench.directory, 'file'))
    bench.write('file/inside', 'now a directory\n')
    rmSync(join(bench.directory, 'dir'), { recursive: true })
    bench.write('dir', 'now a file\n')
    bench.write('deep/er/untracked', 'u\n')
    symlinkSync('nowhere', join(bench.directory, 'dangling'))
    symlinkSync('loop', join(bench.directory, 'loop'))
    const { commit, isDirty, branch, head } = await bench.take()
    expect(bench.files(commit)).toEqual({
      dangling: 'nowhere',
      'deep/er/untracked': 'u',
      dir: 'now a file',
      'file/inside': 'now a directory',
      loop: 'loop',
      new: 'moved',
      same: 's',
      tool: '#!/bin/sh',
    })
    expect(bench.kept('ls-tree', commit, 'tool', 'dangling')).toMatch(/^120000.*\n100755/)
    expect({ isDirty, branch, head }).toEqual({
      isDirty: true,
      branch: 'main',
      head: bench.own('rev-parse', 'HEAD'),
    })
    expect(bench.kept('rev-parse', `${commit}^`)).toBe(head)
    expectWhole(bench)
  })

  test('have any name', async () => {
    const bench = await snapshotBench()
    const names = [
      '-dash',
      ' space ',
      '"quoted"',
      'new\nline',
      'Ünï çødé',
      'tab\t',
      'back\\slash',
      ':(top)magic',
      '*',
      'a:b',
    ]
    for (const name of names) bench.write(name, 'x\n')
    const bytes = Buffer.concat([Buffer.from(`${bench.directory}/latin-`), Buffer.from([0xe9, 0xff])])
    writeFileSync(bytes, 'bytes\n')
    const { commit } = await bench.take()
    const listed = execFileSync('git', ['--git-dir', bench.library, 'ls-tree', '-z', '--name-only', commit], {
      encoding: 'latin1',
    })
    const expected = [...names, 'a.txt', 'b.txt'].map(name => Buffer.from(name).toString('latin1'))
    expect(listed.split('\0').filter(Boolean).sort()).toEqual([...expected, 'latin-\xe9\xff'].sort())
  })

  test('do not include ignored files, by any list of the user, the repo or the mission', async () => {
    const bench = await snapshotBench(({ repo, userConfig, root }) => {
      repo('src/app', { '.gitignore': '*.log\n!kept.log\n', 'a.txt': 'a\n' })
      writeFileSync(join(root, 'global'), '*.tmp\n')
      userConfig(`[core]\nexcludesFile = ${join(root, 'global')}\n`)
    })
    mkdirSync(join(bench.directory, '.git/info'), { recursive: true })
    writeFileSync(join(bench.directory, '.git/info/exclude'), '/private\nkept.log\n')
    for (const name of ['x.log', 'x.tmp', 'private/x', 'kept.log', 'sub/.gitignore', 'sub/y'])
      bench.write(name, name === 'sub/.gitignore' ? 'y\n' : 'x\n')
    const { commit } = await bench.take()
    expect(Object.keys(bench.files(commit))).toEqual(['.gitignore', 'a.txt', 'kept.log', 'sub/.gitignore'])
  })

  test('do not include what the settings exclude, even if it is staged', async () => {
    const bench = await snapshotBench(({ repo }) => {
      repo('src/app', { '.env.sample': 'SAMPLE=1\n' })
    })
    for (const name of [
      '.env',
      'deep/.env.local',
      'key.pem',
      'secret/a',
      'deep/secret/a',
      '.env.sample',
      'normal',
    ])
      bench.write(name, 'SECRET\n')
    bench.own('add', '--force', '.env', 'deep/.env.local')
    const exclude = ['.env*', '*.pem', '/secret/*']
    const { commit, leftOut } = await bench.take({ exclude, listsLeftOut: true })
    expect(bench.files(commit)).toEqual({
      '.env.sample': 'SAMPLE=1',
      'deep/secret/a': 'SECRET',
      normal: 'SECRET',
    })
    expect(leftOut.sort()).toEqual(['.env', '.env.sample', 'deep/.env.local', 'key.pem', 'secret/a'])
    rmSync(join(bench.directory, '.env.sample'))
    expect(Object.keys(bench.files((await bench.take({ exclude })).commit))).toContain('.env.sample')
  })

  test('that are excluded stay as the latest commit has them, whatever is staged', async () => {
    const bench = await snapshotBench(({ repo }) => {
      repo('src/app', { '.gitignore': '.env\n', 'a.key': 'OLD\n', 'b.key': 'OLD\n', '.env.c': 'OLD\n' })
    })
    bench.write('.env', 'SECRET\n')
    bench.write('a.key', 'SECRET\n')
    rmSync(join(bench.directory, '.env.c'))
    bench.write('.env.c/inside', 'SECRET\n')
    bench.own('add', '--force', '.env', 'a.key', '.env.c')
    bench.own('rm', '--quiet', '--cached', 'b.key')
    const before = bench.own('diff', '--cached', '--raw')
    const { commit, leftOut } = await bench.take({ exclude: ['.env*', '*.key'], listsLeftOut: true })
    expect(bench.files(commit)).toEqual({
      '.gitignore': '.env',
      '.env.c': 'OLD',
      'a.key': 'OLD',
      'b.key': 'OLD',
    })
    expect(leftOut.sort()).toEqual(['.env', '.env.c', '.env.c/inside', 'a.key', 'b.key'])
    expect(bench.own('diff', '--cached', '--raw')).toBe(before)
    expect(bench.kept('cat-file', '--batch-all-objects', '--batch')).not.toContain('SECRET')
  })

  test('do not include directories that the settings exclude', async () => {
    const bench = await snapshotBench()
    for (const name of [
      '.env.d/prod',
      'deep/.env.d/prod',
      'secrets/a',
      'deep/private/b',
      'private',
      'normal',
    ])
      bench.write(name, 'SECRET\n')
    const { commit } = await bench.take({ exclude: ['.env*', 'secrets', 'private/', '', '/'] })
    expect(Object.keys(bench.files(commit))).toEqual(['a.txt', 'b.txt', 'normal', 'private'])
  })

  test('with a filter stay as they are in the index, and the filter does not run', async () => {
    const bench = await snapshotBench(({ repo }) => {
      repo('src/app', { '.gitattributes': '*.big filter=big\nplain.big -filter\n', 'a.big': 'pointer\n' })
    })
    const { program, hasRun } = markingProgram(bench, 'filter')
    bench.userConfig(
      `[filter "big"]\nclean = ${program}\nsmudge = ${program}\nprocess = ${program}\nrequired = true\n`,
    )
    bench.write('a.big', 'content\n')
    bench.write('b.big', 'content\n')
    bench.write('plain.big', 'content\n')
    const { commit, leftOut } = await bench.take({ listsLeftOut: true })
    expect(bench.files(commit)).toMatchObject({ 'a.big': 'pointer', 'plain.big': 'content' })
    expect(leftOut.sort()).toEqual(['a.big', 'b.big'])
    expect(hasRun()).toBe(false)
  })

  test('get the line ends that the user has chosen, also if they are mixed', async () => {
    const bench = await snapshotBench(({ repo, userConfig }) => {
      userConfig('[core]\nautocrlf = true\nsafecrlf = true\n')
      repo('src/app', { a: 'one\r\n', b: 'two\r\n' })
    })
    bench.write('a', 'one\r\n')
    bench.write('b', 'mixed\r\nends\n')
    bench.write('new', 'n\r\n')
    const { commit } = await bench.take()
    const raw = (name: string) =>
      execFileSync('git', ['--git-dir', bench.library, 'cat-file', 'blob', `${commit}:${name}`], {
        encoding: 'utf8',
      })
    expect(['a', 'b', 'new'].map(raw)).toEqual(['one\n', 'mixed\nends\n', 'n\n'])
    expect(bench.kept('diff', '--name-only', `${commit}^`, commit)).toBe('b\nnew')
  })

  test('that git cannot take are left out, and all others are recorded', async () => {
    const bench = await snapshotBench(({ repo }) => {
      repo('src/app', {
        '.gitattributes': '*.u16 text working-tree-encoding=UTF-16\n',
        pipe: 'p\n',
        b: 'b\n',
      })
    })
    rmSync(join(bench.directory, 'pipe'))
    execFileSync('mkfifo', [join(bench.directory, 'pipe'), join(bench.directory, 'new-pipe')])
    bench.write('good.u16', Buffer.from('\ufeffgood\n', 'utf16le'))
    bench.write('bad.u16', 'not UTF-16')
    bench.write('b', 'changed\n')
    const { commit } = await bench.take()
    expect(bench.files(commit)).toMatchObject({ b: 'changed', 'good.u16': 'good', pipe: 'p' })
    expect(Object.keys(bench.files(commit))).not.toContain('bad.u16')
  })

  test('that the user cannot read are left out, and all others are recorded', async () => {
    const bench = await snapshotBench()
    bench.write('a.txt', 'changed\n')
    bench.write('hidden', 'x\n')
    bench.write('dir/hidden', 'x\n')
    symlinkSync('hidden', join(bench.directory, 'link'))
    chmodSync(join(bench.directory, 'hidden'), 0)
    chmodSync(join(bench.directory, 'dir'), 0)
    const isRoot = process.getuid?.() === 0
    const { commit } = await bench.take()
    chmodSync(join(bench.directory, 'dir'), 0o700)
    const names = isRoot ? ['a.txt', 'b.txt', 'dir/hidden', 'hidden', 'link'] : ['a.txt', 'b.txt', 'link']
    expect(Object.keys(bench.files(commit))).toEqual(names)
    expect(bench.files(commit)['a.txt']).toBe('changed')
  })

  test('that change in the second in which the index was written are not missed', async () => {
    const bench = await snapshotBench()
    const second = new Date(Math.floor(Date.now() / 1000) * 1000 - 5000)
    bench.write('a.txt', 'abc\n')
    utimesSync(join(bench.directory, 'a.txt'), second, second)
    bench.own('add', 'a.txt')
    utimesSync(join(bench.directory, '.git/index'), second, second)
    bench.write('a.txt', 'xyz\n')
    utimesSync(join(bench.directory, 'a.txt'), second, second)
    const { commit } = await bench.take()
    expect(bench.files(commit)['a.txt']).toBe('xyz')
  })

  test('do not include repos inside the directory; a submodule is recorded by its commit', async () => {
    const bench = await snapshotBench()
    bench.repo('mission/agent/nested', { x: 'x\n' })
    bench.repo('lib', { l: 'l\n' })
    bench.own('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', `${bench.root}/lib`, 'sub')
    bench.own('commit', '--quiet', '--message', 'with a submodule')
    bench.git('mission/agent/sub', 'commit', '--quiet', '--allow-empty', '--message', 'inside')
    const { commit } = await bench.take()
    expect(bench.kept('ls-tree', '--name-only', commit).split('\n')).toEqual([
      '.gitmodules',
      'a.txt',
      'b.txt',
      'sub',
    ])
    expect(bench.kept('rev-parse', `${commit}:sub`)).toBe(bench.git('mission/agent/sub', 'rev-parse', 'HEAD'))
    expectWhole(bench)
  })

  test('can be 20,000, and one of 300 MB', { timeout: 120_000 }, async () => {
    const bench = await snapshotBench()
    for (let dir = 0; dir < 100; dir++) {
      mkdirSync(join(bench.directory, `many/${dir}`), { recursive: true })
      for (let at = 0; at < 200; at++)
        writeFileSync(join(bench.directory, `many/${dir}/${at}`), `${dir} ${at % 5}`)
    }
    execFileSync('truncate', ['--size=300M', join(bench.directory, 'huge')])
    const { commit } = await bench.take()
    expect(bench.kept('ls-tree', '-r', '--name-only', commit).split('\n')).toHaveLength(20_003)
    expect(bench.kept('cat-file', '-s', `${commit}:huge`)).toBe(String(300 * 1024 * 1024))
    expectWhole(bench)
  })
})

describe('the state of the repo', () => {
  test('stays as it is to the last byte: index, HEAD, stash, reflogs and hooks', async () => {
    const bench = await snapshotBench()
    bench.write('a.txt', 'stashed\n')
    bench.own('stash')
    bench.write('a.txt', 'staged\n')
    bench.own('add', 'a.txt')
    bench.write('a.txt', 'changed\n')
    bench.write('new', 'n\n')
    bench.own('config', 'core.logAllRefUpdates', 'always')
    mkdirSync(join(bench.directory, '.git/hooks'), { recursive: true })
    writeFileSync(
      join(bench.directory, '.git/hooks/reference-transaction'),
      `#!/bin/sh\ntouch ${bench.root}/ran\n`,
      {
        mode: 0o755,
      },
    )
    const before = untouched(bench.directory)
    await bench.take({ isCheckpoint: true })
    await bench.take({ isCheckpoint: true })
    expect(untouched(bench.directory)).toEqual(before)
    expect(existsSync(join(bench.root, 'ran'))).toBe(false)
    expect(readdirSync(join(bench.root, 'mission'))).toEqual(['agent'])
  })

  test.each(['merge', 'rebase'])(
    'may be the middle of a %s, with excluded and renamed files in conflict',
    async how => {
      const bench = await snapshotBench(({ repo }) => {
        repo('src/app', {
          a: 'a\n',
          '.env': 'E=0\n',
          moved: 'a long text to find\n'.repeat(9),
          'x.big': 'p\n',
        })
      })
      const side = (name: string, text: string) => {
        bench.own('switch', '--quiet', '--create', name, 'main')
        bench.write('a', `${text}\n`)
        bench.write('.env', `E=${text}\n`)
        bench.own('mv', 'moved', `moved-${text}`)
        bench.own('commit', '--quiet', '--all', '--message', text)
      }
      side('theirs', 'theirs')
      side('ours', 'ours')
      expect(() => bench.own(how, 'theirs')).toThrow()
      const before = untouched(bench.directory)
      const { commit, isDirty, branch } = await bench.take({ exclude: ['.env'] })
      expect(bench.files(commit).a).toContain('<<<<<<<')
      expect(bench.files(commit)['.env']).toMatch(/^E=(ours|theirs)$/)
      expect(Object.keys(bench.files(commit))).toEqual(expect.arrayContaining(['moved-ours', 'moved-theirs']))
      expect(isDirty).toBe(true)
      expect(branch).toBe(how === 'merge' ? 'ours' : null)
      expect(untouched(bench.directory)).toEqual(before)
      expectWhole(bench)
    },
  )

  test('may be a detached HEAD with commits of its own', async () => {
    const bench = await snapshotBench()
    bench.own('switch', '--quiet', '--detach')
    bench.commit('mission/agent', { c: 'c\n' })
    const { head, branch, isDirty } = await bench.take()
    expect({ head, branch, isDirty }).toEqual({
      head: bench.own('rev-parse', 'HEAD'),
      branch: null,
      isDirty: false,
    })
    expect(bench.kept('rev-parse', keptRefs(bench.missionRepo.id).head)).toBe(head)
    expectWhole(bench)
  })

  test('may be a repo without a commit, with and without files', async () => {
    const bench = await snapshotBench(({ root, git }) => {
      mkdirSync(join(root, 'src/app'), { recursive: true })
      git('src/app', 'init', '--quiet', '--initial-branch=main')
    })
    expect(await bench.take()).toMatchObject({ head: null, branch: null, isDirty: false })
    bench.write('.env', 'E\n')
    bench.write('first', 'f\n')
    bench.own('add', '.')
    const { commit, isDirty } = await bench.take({ exclude: ['.env'], isCheckpoint: true })
    expect(bench.files(commit)).toEqual({ first: 'f' })
    expect(isDirty).toBe(true)
  })

  test.each([
    ['a split index', ['update-index', '--split-index']],
    ['no index', null],
    ['a broken index', null],
  ] as const)('may have %s', async (name, args) => {
    const bench = await snapshotBench()
    const index = join(bench.directory, '.git/index')
    if (args) bench.own(...args)
    else if (name === 'no index') rmSync(index)
    else writeFileSync(index, 'DIRC nonsense')
    bench.write('a.txt', 'changed\n')
    bench.write('.gitignore', 'b.txt\n')
    const { commit } = await bench.take()
    expect(bench.files(commit)).toEqual({ '.gitignore': 'b.txt', 'a.txt': 'changed', 'b.txt': 'two' })
  })

  test.each([[[]], [['--sparse-index']]])('may be a sparse checkout %j', async more => {
    const bench = await snapshotBench(({ repo }) => {
      repo('src/app', { 'in/a': 'a\n', 'out/b': 'b\n', 'out/c': 'c\n', top: 't\n' })
    })
    bench.own('sparse-checkout', 'set', '--cone', ...more, 'in')
    bench.write('in/a', 'changed\n')
    bench.write('out/b', 'came back\n')
    const { commit } = await bench.take()
    expect(bench.files(commit)).toEqual({ 'in/a': 'changed', 'out/b': 'came back', 'out/c': 'c', top: 't' })
  })

  test('may be locked by a git of Claude', async () => {
    const bench = await snapshotBench()
    writeFileSync(join(bench.directory, '.git/index.lock'), '')
    bench.write('a.txt', 'changed\n')
    expect(bench.files((await bench.take()).commit)['a.txt']).toBe('changed')
  })

  test('may have files that come and go meanwhile', async () => {
    const bench = await snapshotBench()
    const churn = spawn(
      '/bin/sh',
      ['-c', 'echo started; while :; do echo $$ >f; rm f; mkdir f; rmdir f; done'],
      {
        cwd: bench.directory,
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    )
    try {
      await new Promise(resolve => churn.stdout.once('data', resolve))
      for (let at = 0; at < 5; at++) {
        bench.write('a.txt', `${at}\n`)
        expect(bench.files((await bench.take()).commit)['a.txt']).toBe(String(at))
      }
    } finally {
      churn.kill()
      await new Promise(resolve => churn.once('close', resolve))
    }
  })

  test.each(['sha256', 'shallow'])('may be a %s repo', async kind => {
    const bench = await snapshotBench(({ repo, git, root, commit }) => {
      if (kind === 'sha256') {
        mkdirSync(join(root, 'src/app'), { recursive: true })
        git('src/app', 'init', '--quiet', '--object-format=sha256', '--initial-branch=main')
        commit('src/app', { a: 'a\n' })
        return
      }
      repo('full', { a: 'a\n' })
      commit('full', { a: 'b\n' })
      mkdirSync(join(root, 'src'))
      git('src', 'clone', '--quiet', '--depth=1', `file://${root}/full`, 'app')
    })
    bench.write('a', 'changed\n')
    bench.commit('mission/agent', { b: 'b\n' })
    bench.write('c', 'c\n')
    const { commit } = await bench.take({ isCheckpoint: true })
    expect(bench.files(commit)).toEqual({ a: 'changed', b: 'b', c: 'c' })
    expect(commit).toHaveLength(kind === 'sha256' ? 64 : 40)
    expectWhole(bench)
  })

  test.each(['a file', 'a link', 'nothing'])('is refused if .git is %s', async kind => {
    const bench = await snapshotBench()
    const gitDir = join(bench.directory, '.git')
    const other = join(bench.repo('other'), '.git')
    renameSync(gitDir, join(bench.root, 'moved'))
    if (kind === 'a file') writeFileSync(gitDir, `gitdir: ${other}\n`)
    if (kind === 'a link') symlinkSync(other, gitDir)
    const before = untouched(join(bench.root, 'other'))
    await expect(bench.take({ isCheckpoint: true })).rejects.toThrow('has no git repo of its own')
    expect(untouched(join(bench.root, 'other'))).toEqual(before)
    expect(staging(bench)).toEqual([])
  })

  test('is refused if it uses the refs of another repo', async () => {
    const bench = await snapshotBench()
    const other = join(bench.repo('other'), '.git')
    writeFileSync(join(bench.directory, '.git/commondir'), `${other}\n`)
    await expect(bench.take({ isCheckpoint: true })).rejects.toThrow('has no git repo of its own')
    expect(bench.git('other', 'for-each-ref', 'refs/agenc')).toBe('')
  })

  test('may have a branch whose files were not fetched', async () => {
    const bench = await snapshotBench()
    bench.repo('other', { far: 'away\n' })
    bench.git('other', 'config', 'uploadpack.allowFilter', 'true')
    bench.own('fetch', '--quiet', '--filter=blob:none', `file://${bench.root}/other`, 'main:partial')
    bench.write('c', 'c\n')
    const { commit } = await bench.take({ isCheckpoint: true })
    expect(bench.files(commit)).toMatchObject({ c: 'c' })
    expect(bench.kept('for-each-ref', `${keptRefs(bench.missionRepo.id).heads}partial`)).toBe('')
    expectWhole(bench)
  })

  test('cannot make agenc run a program', async () => {
    const bench = await snapshotBench(({ repo }) => {
      repo('src/app', { a: 'a\n', '.gitattributes': 'a filter=evil diff=evil merge=evil\n' })
    })
    const { program, hasRun } = markingProgram(bench, 'evil')
    const hooks = join(bench.root, 'hooks')
    mkdirSync(hooks)
    for (const hook of [
      'reference-transaction',
      'post-index-change',
      'post-commit',
      'pre-commit',
      'fsmonitor-watchman',
    ])
      symlinkSync(program, join(hooks, hook))
    for (const name of readdirSync(hooks)) {
      mkdirSync(join(bench.directory, '.git/hooks'), { recursive: true })
      symlinkSync(program, join(bench.directory, '.git/hooks', name))
    }
    writeFileSync(join(bench.root, 'attributes'), '* filter=evil diff=evil\n')
    const settings = `
      [core]
        fsmonitor = ${program}
        hooksPath = ${hooks}
        sshCommand = ${program}
        pager = ${program}
        editor = ${program}
        askPass = ${program}
        alternateRefsCommand = ${program}
        attributesFile = ${join(bench.root, 'attributes')}
        worktree = ${bench.root}
      [filter "evil"]
        clean = ${program}
        smudge = ${program}
        process = ${program}
      [diff]
        external = ${program}
      [diff "evil"]
        command = ${program}
        textconv = ${program}
      [merge "evil"]
        driver = ${program}
      [alias]
        for-each-ref = !${program}
        update-ref = !${program}
        ls-files = !${program}
      [gpg]
        program = ${program}
      [commit]
        gpgSign = true
      [extensions]
        partialClone = origin
      [remote "origin"]
        promisor = true
        url = ${bench.root}/src/app
        uploadpack = ${program}
      [credential]
        helper = ${program}
      [uploadpack]
        packObjectsHook = ${program}
    `
    bench.write('.git/config', `${readFileSync(join(bench.directory, '.git/config'), 'utf8')}${settings}`)
    bench.write('a', 'changed\n')
    bench.write('new', 'n\n')
    writeFileSync(join(bench.directory, '.git/info/attributes'), '* filter=evil diff=evil\n', { flag: 'w' })
    const { commit } = await bench.take({ isCheckpoint: true, listsLeftOut: true })
    expect(bench.files(commit).new).toBe('n')
    // A commit that is missing, which git would fetch from the remote.
    writeFileSync(join(bench.directory, '.git/refs/heads/missing'), `${'1'.repeat(40)}\n`)
    writeFileSync(join(bench.directory, '.git/refs/heads/main'), `${'2'.repeat(40)}\n`)
    await expect(bench.take()).rejects.toThrow()
    expect(hasRun()).toBe(false)
  })
})

describe('the library', () => {
  test('keeps branches, HEAD, the latest state and the checkpoints, also after the directory is gone', async () => {
    const bench = await snapshotBench()
    const names = keptRefs(bench.missionRepo.id)
    bench.own('branch', 'topic/a')
    bench.commit('mission/agent', { c: 'c\n' })
    bench.write('d', 'd\n')
    expect((await bench.take({ isCheckpoint: true })).turn).toBe(1)
    bench.own('branch', '--move', 'topic/a', 'topic')
    bench.write('d', 'e\n')
    expect((await bench.take({ isCheckpoint: true })).turn).toBe(2)
    expect((await bench.take()).turn).toBeNull()
    bench.own('for-each-ref', '--format=delete %(refname)', 'refs/agenc')
    rmSync(join(bench.directory, '.git/refs/agenc'), { recursive: true })
    expect((await bench.take({ isCheckpoint: true })).turn).toBe(3)
    rmSync(bench.directory, { recursive: true })
    const kept = bench.kept('for-each-ref', '--format=%(refname)', names.root).split('\n')
    expect(kept.map(ref => ref.slice(names.root.length))).toEqual([
      'checkpoints/1',
      'checkpoints/2',
      'checkpoints/3',
      'head',
      'heads/main',
      'heads/topic',
      'now',
    ])
    expect(bench.files(`${names.checkpoints}1`)).toMatchObject({ c: 'c', d: 'd' })
    expect(bench.files(`${names.checkpoints}2`)).toMatchObject({ c: 'c', d: 'e' })
    expect(bench.kept('fsck', '--connectivity-only', '--no-dangling')).toBe('')
  })

  test('gets nothing new if nothing has changed, but the turn still has a number', async () => {
    const bench = await snapshotBench()
    bench.write('c', 'c\n')
    const first = await bench.take({ isCheckpoint: true })
    const before = packs(bench)
    const second = await bench.take({ isCheckpoint: true })
    expect(second).toEqual({ ...first, turn: 2 })
    expect(packs(bench)).toEqual(before)
    expect(bench.own('rev-parse', 'refs/agenc/checkpoints/2')).toBe(first.commit)
  })

  test('keeps every one of several at the same time', async () => {
    const bench = await snapshotBench()
    bench.write('c', 'c\n')
    const taken = await Promise.all([1, 2, 3, 4].map(() => bench.take({ isCheckpoint: true })))
    expect(taken.map(({ turn }) => turn).sort()).toEqual([1, 2, 3, 4])
    expectWhole(bench)
  })

  test('joins its packs when there are many, one process at a time, and loses nothing', async () => {
    const bench = await snapshotBench()
    for (const text of ['1', '2', '3', '4']) {
      bench.write('c', text)
      await bench.take({ isCheckpoint: true })
    }
    const count = () => packs(bench).filter(name => name.endsWith('.pack')).length
    const before = count()
    await packLibrary(bench.missionRepo, before)
    expect(count()).toBe(before)
    await withHeldLock(join(bench.library, 'repack'), () => packLibrary(bench.missionRepo, 2))
    expect(count()).toBe(before)
    await Promise.all([packLibrary(bench.missionRepo, 2), packLibrary(bench.missionRepo, 2)])
    expect(count()).toBeLessThan(before)
    expect(existsSync(join(bench.library, 'repack.lock'))).toBe(false)
    expectWhole(bench)
  })

  test('may be in a directory with a strange name', async () => {
    const bench = await snapshotBench(undefined, gitBench(join(gitBench().root, 'a: "strange" é\\name')))
    bench.write('c', 'c\n')
    expect(bench.files((await bench.take({ isCheckpoint: true })).commit)).toMatchObject({ c: 'c' })
    expectWhole(bench)
  })

  test('gets nothing if the disk is full, and the next one works', async context => {
    const bench = gitBench()
    const disk = smallDisk(context, join(bench.root, 'repos'))
    const box = await snapshotBench(undefined, bench)
    box.write('c', Buffer.from(Array.from({ length: 100_000 }, () => Math.floor(Math.random() * 256))))
    disk.fill()
    await expect(box.take({ isCheckpoint: true })).rejects.toThrow(/space/i)
    expect(box.kept('for-each-ref', 'refs/agenc')).toBe('')
    disk.free()
    expect(staging(box)).toEqual([])
    expect(packs(box).filter(name => name.includes('tmp'))).toEqual([])
    expect((await box.take({ isCheckpoint: true })).turn).toBe(1)
    expectWhole(box)
  })

  test('gets nothing if the disk of the mission is full, and no part stays there', async context => {
    const bench = gitBench()
    const disk = smallDisk(context, join(bench.root, 'mission'))
    const box = await snapshotBench(undefined, bench)
    box.write('c', Buffer.from(Array.from({ length: 100_000 }, () => Math.floor(Math.random() * 256))))
    disk.fill()
    await expect(box.take({ isCheckpoint: true })).rejects.toThrow(/space/i)
    expect(box.kept('for-each-ref', 'refs/agenc')).toBe('')
    const objects = join(box.directory, '.git/objects')
    const remains = readdirSync(objects, { recursive: true, encoding: 'utf8' }).filter(name =>
      name.includes('tmp'),
    )
    expect(remains).toEqual([])
    disk.free()
    expect((await box.take({ isCheckpoint: true })).turn).toBe(1)
  })

  test.each(
    ['update-index', 'write-tree', 'commit-tree', 'pack-objects', 'update-ref'].flatMap(command =>
      ['cancelled', 'killed'].map(how => [how, command] as const),
    ),
  )('is as before if git is %s at %s, and the next one works', async (how, command) => {
    const bench = await snapshotBench()
    bench.write('c', 'c\n')
    const stopping = new AbortController()
    const { exec } = bench.missionRepo
    const ending: Runner = {
      ...exec,
      start: (file, args, options) => {
        if (!args.includes(command)) return exec.start(file, args, options)
        // A signal from here could come after git's end.
        if (how === 'killed') return exec.start('/bin/sh', ['-c', 'kill -9 $$'], options)
        const child = exec.start(file, args, options)
        stopping.abort()
        return child
      },
    }
    const options = { exclude: [], now: new Date(), isCheckpoint: true, signal: stopping.signal }
    await expect(takeSnapshot({ ...bench.missionRepo, exec: ending }, options)).rejects.toThrow()
    expect(staging(bench)).toEqual([])
    expect((await bench.take({ isCheckpoint: true })).turn).toBeLessThanOrEqual(2)
    expectWhole(bench)
  })

  test('is cleaned after an agenc that was killed', async () => {
    const bench = await snapshotBench()
    const { pid } = spawnSync('true')
    mkdirSync(join(bench.library, `.unfinished-${pid}@1~left`, 'pack'), { recursive: true })
    await bench.take()
    expect(staging(bench)).toEqual([])
  })

  test('is not blocked by the lock of a git that was killed', async () => {
    const bench = await snapshotBench()
    await bench.take()
    const lock = join(bench.library, `${keptRefs(bench.missionRepo.id).now}.lock`)
    writeFileSync(lock, '')
    utimesSync(lock, new Date(0), new Date(0))
    bench.write('c', 'c\n')
    const { commit } = await bench.take()
    expect(bench.kept('rev-parse', keptRefs(bench.missionRepo.id).now)).toBe(commit)
    await waitFor('the lock to be gone', () => !existsSync(lock))
  })

  test('is not blocked by the lock of a git that was killed while it deleted a packed ref', async () => {
    const bench = await snapshotBench()
    bench.own('branch', 'gone')
    await bench.take()
    bench.kept('pack-refs', '--all', '--prune')
    bench.own('branch', '-D', 'gone')
    const lock = join(bench.library, 'packed-refs.lock')
    writeFileSync(lock, '')
    utimesSync(lock, new Date(0), new Date(0))
    await bench.take()
    expect(bench.kept('for-each-ref', `${keptRefs(bench.missionRepo.id).heads}gone`)).toBe('')
  })
})
