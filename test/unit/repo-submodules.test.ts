import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fetchSubmodules, submodulePaths } from '../../src/repo/submodules.ts'
import { describeUnsavedWork } from '../../src/repo/unsaved-work.ts'
import { fakeSsh, type GitBench, gitBench, writeBelow } from '../helpers/git.ts'

const anyProtocol = ['-c', 'protocol.file.allow=always']

function bench(): GitBench {
  const made = gitBench()
  Object.assign(made.tools.env, fakeSsh(made.root))
  return made
}

/** Adds a submodule from a repo on this machine, then records another address for it. */
function addSubmodule(made: GitBench, outer: string, path: string, from: string, url: string): void {
  const source = join(made.root, from)
  made.git(outer, ...anyProtocol, 'submodule', 'add', '--quiet', '--force', '--name', path, source, path)
  made.git(outer, 'config', '--file', '.gitmodules', `submodule.${path}.url`, url)
  made.commit(outer, {})
}

/** Clones `src/app` over the fake ssh, so that relative addresses resolve to it, and fetches its submodules. */
async function fetchAll(
  made: GitBench,
): Promise<{ missing: Record<string, string>; has(path: string): boolean }> {
  made.git('.', 'clone', '--quiet', `ssh://host${made.root}/src/app`, 'copy')
  const missing: Record<string, string> = {}
  await fetchSubmodules(made.tools, join(made.root, 'copy'), {
    logPath: join(made.root, 'log'),
    onMissing: (path, reason) => void Object.assign(missing, { [path]: reason }),
  })
  return { missing, has: path => existsSync(join(made.root, 'copy', path)) }
}

test('submodules are fetched, also nested ones and those with relative addresses', async () => {
  const made = bench()
  made.repo('src/deep', { inner: 'x' })
  made.repo('src/lib', { file: 'x' })
  addSubmodule(made, 'src/lib', 'deep', 'src/deep', '../deep')
  made.repo('src/app')
  addSubmodule(made, 'src/app', 'lib with space', 'src/lib', '../lib')
  addSubmodule(made, 'src/app', 'far*', 'src/lib', `ssh://host${made.root}/src/lib`)
  expect(submodulePaths(made.tools, join(made.root, 'src/app'))).toEqual(['far*', 'lib with space'])
  const { missing, has } = await fetchAll(made)
  expect(missing).toEqual({})
  expect(has('lib with space/file') && has('lib with space/deep/inner') && has('far*/deep/inner')).toBe(true)
  expect(made.git('copy', 'submodule', 'status', '--recursive')).not.toMatch(/^[-+]/m)
  expect(readFileSync(join(made.root, 'log'), 'utf8')).toContain('submodule lib with space/deep\n')
})

test('one that cannot be fetched is named with the reason, and the others are there', async () => {
  const made = bench()
  made.repo('src/lib', { file: 'x' })
  made.repo('src/nest', { file: 'x' })
  addSubmodule(made, 'src/nest', 'inner', 'src/lib', '../gone')
  addSubmodule(made, 'src/nest', 'other', 'src/lib', '../lib')
  made.repo('src/app')
  addSubmodule(made, 'src/app', 'gone', 'src/lib', '../gone')
  addSubmodule(made, 'src/app', 'nest', 'src/nest', '../nest')
  addSubmodule(made, 'src/app', 'offline', 'src/lib', 'ssh://offline.example/lib')
  addSubmodule(made, 'src/app', 'unknown', 'src/lib', '../lib')
  addSubmodule(made, 'src/app', 'zoo', 'src/lib', '../lib')
  made.git('src/app', 'config', '--file', '.gitmodules', '--remove-section', 'submodule.unknown')
  made.git('src/app', 'update-index', '--add', '--cacheinfo', `160000,${'a'.repeat(40)},lost`)
  made.git('src/app', 'config', '--file', '.gitmodules', 'submodule.lost.path', 'lost')
  made.git('src/app', 'config', '--file', '.gitmodules', 'submodule.lost.url', '../lib')
  made.git('src/app', 'add', '.gitmodules')
  made.git('src/app', 'commit', '--quiet', '--message', 'lost')
  const { missing, has } = await fetchAll(made)
  expect(missing).toEqual({
    gone: expect.stringContaining('does not appear to be a git repository'),
    lost: expect.stringContaining('a'.repeat(40)),
    'nest/inner': expect.stringContaining('does not appear to be a git repository'),
    offline: 'ssh: Could not resolve hostname offline.example',
    unknown: expect.stringContaining('.gitmodules'),
  })
  expect(has('nest/file') && has('nest/other/file') && has('zoo/file')).toBe(true)
})

test('paths on this machine and programs are refused, whatever the settings of the user allow', async () => {
  const made = bench()
  made.repo('src/lib', { file: 'x' })
  made.repo('src/app')
  const ran = join(made.root, 'ran')
  addSubmodule(made, 'src/app', 'ext', 'src/lib', `ext::sh -c "touch ${ran}"`)
  addSubmodule(made, 'src/app', 'file', 'src/lib', `file://${made.root}/src/lib`)
  addSubmodule(made, 'src/app', 'path', 'src/lib', join(made.root, 'src/lib'))
  made.userConfig(
    '[protocol]\n  allow = always\n[protocol "file"]\n  allow = always\n[protocol "ext"]\n  allow = always\n',
  )
  Object.assign(made.tools.env, { GIT_ALLOW_PROTOCOL: 'file:ext:ssh' })
  const { missing } = await fetchAll(made)
  expect(missing).toEqual({
    ext: 'agenc does not fetch submodules by the protocol "ext"',
    file: 'agenc does not fetch submodules by the protocol "file"',
    path: 'agenc does not fetch submodules by the protocol "file"',
  })
  expect(existsSync(ran)).toBe(false)
})

test.each([
  [
    'a command as the way to update',
    (made: GitBench, ran: string) =>
      made.git('src/app', 'config', '--file', '.gitmodules', 'submodule.lib.update', `!touch ${ran}`),
  ],
  [
    'a name that leads out of the repo',
    (made: GitBench) =>
      made.git(
        'src/app',
        'config',
        '--file',
        '.gitmodules',
        '--rename-section',
        'submodule.lib',
        'submodule.../../../../escaped',
      ),
  ],
  [
    'an address that looks like an option',
    (made: GitBench, ran: string) =>
      made.git(
        'src/app',
        'config',
        '--file',
        '.gitmodules',
        'submodule.lib.url',
        `--upload-pack=touch ${ran}`,
      ),
  ],
] as const)('%s runs nothing and writes nothing elsewhere', async (_, spoil) => {
  const made = bench()
  made.repo('src/lib', { file: 'x' })
  made.repo('src/app')
  addSubmodule(made, 'src/app', 'lib', 'src/lib', '../lib')
  const ran = join(made.root, 'ran')
  spoil(made, ran)
  made.commit('src/app', {})
  const before = readdirSync(made.root)
  const { missing, has } = await fetchAll(made)
  expect(Object.keys(missing)).toEqual(['lib'])
  expect(has('lib/file')).toBe(false)
  expect(
    readdirSync(made.root)
      .filter(name => !before.includes(name))
      .sort(),
  ).toEqual(['copy', 'log'])
})

test("hooks of the user's template do not run, and a submodule with `update = none` is left alone", async () => {
  const made = bench()
  made.repo('src/lib', { file: 'x' })
  made.repo('src/app')
  addSubmodule(made, 'src/app', 'lib', 'src/lib', '../lib')
  addSubmodule(made, 'src/app', 'optional', 'src/lib', '../lib')
  made.git('src/app', 'config', '--file', '.gitmodules', 'submodule.optional.update', 'none')
  made.commit('src/app', {})
  const ran = join(made.root, 'ran')
  writeBelow(made.root, 'template/hooks/post-checkout', `#!/bin/sh\ntouch '${ran}'\n`)
  chmodSync(join(made.root, 'template/hooks/post-checkout'), 0o755)
  made.userConfig(`[init]\n  templateDir = ${made.root}/template\n`)
  made.git(
    '.',
    '-c',
    'core.hooksPath=/dev/null',
    'clone',
    '--quiet',
    `ssh://host${made.root}/src/app`,
    'copy',
  )
  await fetchSubmodules(made.tools, join(made.root, 'copy'), { onMissing: () => {} })
  expect(readdirSync(join(made.root, 'copy/lib'))).toContain('file')
  expect(readdirSync(join(made.root, 'copy/optional'))).toEqual([])
  expect(existsSync(ran)).toBe(false)
})

test('a submodule as it was fetched holds no work, even if its commit is on no branch', async () => {
  const made = bench()
  made.repo('src/lib', { file: 'x' })
  made.git('src/lib', 'switch', '--quiet', '--detach')
  made.commit('src/lib', { file: 'released' })
  made.git('src/lib', 'tag', 'v1')
  made.repo('src/app')
  addSubmodule(made, 'src/app', 'lib', 'src/lib', '../lib')
  made.git('src/lib', 'switch', '--quiet', 'main')
  expect((await fetchAll(made)).missing).toEqual({})
  const directory = join(made.root, 'copy')
  expect(describeUnsavedWork({ ...made.tools, directory })).toEqual([])
  made.commit('copy/lib', { work: 'x' })
  made.commit('copy', {})
  made.git('copy', 'push', '--quiet', 'origin', 'HEAD:refs/heads/pushed')
  expect(describeUnsavedWork({ ...made.tools, directory })).toEqual(['1 unpushed commit'])
})
