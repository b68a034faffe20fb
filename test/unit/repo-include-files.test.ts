import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RepoConfig } from '../../src/config/schema.ts'
import type { Context } from '../../src/context.ts'
import { pathsAt } from '../../src/paths.ts'
import { copyIncluded } from '../../src/repo/include-files.ts'
import { gitBench, writeBelow } from '../helpers/git.ts'
import { needOrdinaryUser } from '../helpers/needs.ts'
import { smallDisk } from '../helpers/small-disk.ts'

const repo = 'local/src/app'

/** A checkout with these files besides those that git tracks, its repo in the library, and a new working copy. */
function bench(ignored: string, files: Record<string, string>, tracked: Record<string, string> = {}) {
  const git = gitBench()
  const checkout = git.repo('src/app', { 'README.md': 'hello\n', '.gitignore': ignored, ...tracked })
  for (const [name, text] of Object.entries(files)) writeBelow(checkout, name, text)
  const paths = pathsAt(join(git.root, 'agenc'))
  mkdirSync(join(paths.repos, dirname(repo)), { recursive: true })
  git.git('.', 'clone', '--quiet', '--bare', checkout, join(paths.repos, repo))
  const directory = join(git.root, 'mission', 'agent')
  git.git('.', 'clone', '--quiet', join(paths.repos, repo), directory)
  const said: string[] = []
  const err = { line: (text: string) => void said.push(text) }
  const context = { ...git.tools, paths, err } as unknown as Context
  const controller = new AbortController()
  return {
    ...git,
    checkout,
    directory,
    library: join(paths.repos, repo),
    said,
    controller,
    copy: (settings?: RepoConfig, to = directory) =>
      copyIncluded(context, { repo, settings, directory: to, isNew: true, signal: controller.signal }),
    /** The files of the working copy that git did not bring. */
    copied: () =>
      execFileSync('find', ['.', '(', '-name', '.git', '-prune', ')', '-o', '-not', '-type', 'd', '-print'], {
        cwd: directory,
        encoding: 'utf8',
      })
        .split('\n')
        .filter(line => line !== '')
        .map(line => line.slice(2))
        .filter(name => !['README.md', '.gitignore', ...Object.keys(tracked)].includes(name))
        .sort(),
  }
}

describe('files that git does not carry', () => {
  test('are copied if they are ignored and named, with their modes, and nothing else is', async () => {
    const box = bench('.env*\nnode_modules/\n*.key\ndist\n', {
      '.worktreeinclude': '.env\nnode_modules\n# a comment\n*.key\n!other.key\n',
      '.env': 'SECRET=1\n',
      '.env.local': 'not named\n',
      'sub/.env': 'SECRET=2\n',
      'node_modules/a/index.js': 'a\n',
      'node_modules/.bin/a': 'a\n',
      'my name é.key': 'key\n',
      'other.key': 'not named\n',
      'dist/app.js': 'not named\n',
    })
    writeFileSync(join(box.checkout, 'untracked.env'), 'not ignored\n')
    chmodSync(join(box.checkout, '.env'), 0o600)
    chmodSync(join(box.checkout, 'node_modules/.bin/a'), 0o755)
    await box.copy()
    expect(box.copied()).toEqual(
      ['.env', 'sub/.env', 'node_modules/.bin/a', 'node_modules/a/index.js', 'my name é.key'].sort(),
    )
    expect(readFileSync(join(box.directory, 'sub/.env'), 'utf8')).toBe('SECRET=2\n')
    expect(statSync(join(box.directory, '.env')).mode & 0o777).toBe(0o600)
    expect(statSync(join(box.directory, 'node_modules/.bin/a')).mode & 0o777).toBe(0o755)
    expect(box.said.join('\n')).toMatch(/^agenc: copying .* from .*src\/app$/m)
    expect(readdirSync(dirname(box.directory))).toEqual(['agent'])
  })

  test('are named by the settings too, which have the last word', async () => {
    const box = bench('*.pem\n.env\n', {
      '.worktreeinclude': '*.pem\n',
      'a.pem': 'a\n',
      'b.pem': 'b\n',
      '.env': 'x\n',
    })
    await box.copy({ include: ['.env', '!b.pem'] })
    expect(box.copied()).toEqual(['.env', 'a.pem'])
  })

  test('may be inside a directory that is ignored as a whole', async () => {
    const box = bench('config/\ncache/\n', {
      '.worktreeinclude': 'config/*.key\ncache/keep/\n/cache/x?.json\n',
      'config/a.key': 'a\n',
      'config/b.txt': 'b\n',
      'cache/keep/1': '1\n',
      'cache/x1.json': '{}\n',
      'cache/other': 'no\n',
    })
    await box.copy()
    expect(box.copied()).toEqual(['cache/keep/1', 'cache/x1.json', 'config/a.key'])
  })

  test('are not looked for in ignored directories that no pattern names', async () => {
    const box = bench('node_modules/\n.env\n', {
      '.worktreeinclude': '.env\n',
      '.env': 'x\n',
      'node_modules/foreign/.env': 'of a package\n',
    })
    await box.copy()
    expect(box.copied()).toEqual(['.env'])
  })

  test('do not replace files of the working copy, but join them in a directory', async () => {
    const box = bench('config/local*\n', {
      '.worktreeinclude': 'config/\n',
      'config/local.json': 'mine\n',
      'config/local/a': 'a\n',
    })
    // The mission may be on another commit, which has files in the same places.
    writeBelow(box.directory, 'config/local.json', 'of the commit\n')
    writeBelow(box.directory, 'config/local/b', 'of the commit\n')
    await box.copy()
    expect(readFileSync(join(box.directory, 'config/local.json'), 'utf8')).toBe('of the commit\n')
    expect(readdirSync(join(box.directory, 'config/local')).sort()).toEqual(['a', 'b'])
  })

  test('never leave the working copy through a link that the repo has', async () => {
    const box = bench('config/\nlink\n', {
      '.worktreeinclude': 'config/\nlink\n',
      'config/secret': 'x\n',
      link: 'x\n',
    })
    const outside = join(box.root, 'outside')
    mkdirSync(outside)
    symlinkSync(outside, join(box.directory, 'config'))
    symlinkSync(join(outside, 'file'), join(box.directory, 'link'))
    await box.copy()
    expect(readdirSync(outside)).toEqual([])
  })

  test('that are links are copied as links, and their targets are not', async () => {
    const box = bench('.env\nmodules/\n', { '.worktreeinclude': '.env\nmodules/\n', 'modules/real': 'x\n' })
    writeFileSync(join(box.root, 'secret'), 'elsewhere\n')
    symlinkSync(join(box.root, 'secret'), join(box.checkout, '.env'))
    symlinkSync(box.root, join(box.checkout, 'modules', 'up'))
    await box.copy()
    expect(readlinkSync(join(box.directory, '.env'))).toBe(join(box.root, 'secret'))
    expect(lstatSync(join(box.directory, 'modules', 'up')).isSymbolicLink()).toBe(true)
  })

  test('never include a .git: a commit in the copy would change the checkout', async () => {
    const box = bench('trees/\nmixed/\n', { '.worktreeinclude': 'trees/\nmixed/\n', 'mixed/file': 'x\n' })
    box.git('src/app', 'worktree', 'add', '--quiet', 'trees/one')
    box.repo('src/app/mixed/nested', { inner: 'x\n' })
    await box.copy()
    expect(existsSync(join(box.directory, 'trees/one/README.md'))).toBe(true)
    expect(existsSync(join(box.directory, 'trees/one/.git'))).toBe(false)
    expect(existsSync(join(box.directory, 'mixed/nested/.git'))).toBe(false)
    expect(existsSync(join(box.checkout, 'trees/one/.git'))).toBe(true)
  })

  test('patterns with CRLF, and hooks, filters and fsmonitor of the checkout, do no harm', async () => {
    const box = bench(
      '.env\n',
      { '.worktreeinclude': '.env\r\n', '.env': 'x\n', 'README.md': 'changed\n' },
      { '.gitattributes': '* filter=evil\n' },
    )
    const touch = `touch ${join(box.root, 'ran')}`
    for (const [key, value] of [
      ['filter.evil.clean', `${touch}; cat`],
      ['core.fsmonitor', touch],
    ])
      box.git('src/app', 'config', key!, value!)
    await box.copy()
    expect(box.copied()).toEqual(['.env'])
    expect(existsSync(join(box.root, 'ran'))).toBe(false)
  })

  test('that cannot be copied are named, and the others are copied', async context => {
    needOrdinaryUser(context)
    const box = bench('a\nb\n', { '.worktreeinclude': 'a\nb\n', a: 'x\n', b: 'x\n' })
    chmodSync(join(box.checkout, 'a'), 0)
    await box.copy()
    expect(box.copied()).toEqual(['b'])
    expect(box.said.join('\n')).toMatch(/agenc: cannot use .*\/a: permission denied/)
  })

  test('that do not fit on the disk are named, and leave nothing behind', async context => {
    const big = 'x'.repeat(1024 * 1024)
    const box = bench('modules/\nbig\nsmall\n', {
      '.worktreeinclude': 'modules/\nbig\nsmall\n',
      'modules/a': 'small\n',
      'modules/b': big,
      big,
      small: '',
    })
    const disk = join(box.root, 'disk')
    smallDisk(context, disk)
    const directory = join(disk, 'agent')
    mkdirSync(directory)
    writeFileSync(join(disk, 'filler-by-test'), Buffer.alloc(15.5 * 1024 * 1024))
    await box.copy(undefined, directory)
    expect(box.said.join('\n')).toMatch(/cannot copy .*modules: .*No space left on device/)
    expect(box.said.join('\n')).toMatch(/cannot use .*big: the disk is full/)
    expect(readdirSync(directory)).toEqual(['small'])
    expect(readdirSync(disk).sort()).toEqual(['agent', 'filler-by-test'])
  })

  test('are not copied any more once the user has given up', async () => {
    const box = bench('.env\n', { '.worktreeinclude': '.env\n', '.env': 'x\n' })
    box.controller.abort()
    await expect(box.copy()).rejects.toThrow()
    expect(box.copied()).toEqual([])
    expect(readdirSync(dirname(box.directory))).toEqual(['agent'])
  })
})

describe('the checkout', () => {
  test('that has uncommitted changes is mentioned in one line; a clean one is not', async () => {
    const box = bench('ignored\n', { ignored: 'x\n' })
    await box.copy()
    expect(box.said).toEqual([])
    writeFileSync(join(box.checkout, 'new'), 'x\n')
    await box.copy()
    expect(box.said).toEqual([`agenc: ${box.checkout} has uncommitted changes; they are not in this mission`])
  })

  test('of the settings is used instead of the path that the repo was added from', async () => {
    const box = bench('.env\n', { '.worktreeinclude': '.env\n', '.env': 'of the source\n' })
    box.git('.', 'clone', '--quiet', box.checkout, 'home/mine')
    writeBelow(join(box.root, 'home/mine'), '.env', 'of the other clone\n')
    await box.copy({ checkout: '~/mine', include: ['.env'] })
    expect(readFileSync(join(box.directory, '.env'), 'utf8')).toBe('of the other clone\n')
    expect(box.said).toEqual(['agenc: copying .env from ~/mine'])
  })

  test.each([
    ['that is gone', 'nowhere', /^agenc: your checkout of local\/src\/app is gone: .*nowhere$/],
    ['that is another repo', 'other', /other is not a checkout of local\/src\/app$/],
    ['that is no repo', 'home', /home is not a checkout of local\/src\/app$/],
  ])('%s is mentioned in one line', async (_title, name, message) => {
    const box = bench('.env\n', { '.env': 'x\n' })
    box.repo('other', { 'README.md': 'another one\n', x: 'x\n' })
    await box.copy({ checkout: join(box.root, name) })
    expect(box.said).toEqual([expect.stringMatching(message)])
    expect(box.copied()).toEqual([])
  })

  test('that is not known is mentioned only if files are wanted from it', async () => {
    const box = bench('.env\n', {})
    box.git(box.library.slice(box.root.length), 'config', 'remote.origin.url', 'https://example.com/src/app')
    await box.copy()
    expect(box.said).toEqual([])
    await box.copy({ include: ['.env'] })
    expect(box.said).toEqual([
      expect.stringMatching(
        /not known; set it with: agenc config set repos.local\/src\/app.checkout <path>$/,
      ),
    ])
  })
})
