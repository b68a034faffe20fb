import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeBelow } from '../helpers/git.ts'
import { checkout, landingBox, server } from '../helpers/landing.ts'

test('what git LFS keeps beside git comes along, but nothing that is not what its name says', async () => {
  const box = landingBox({ from: 'checkout' })
  const mission = await box.mission()
  const content = 'many pixels'
  const oid = createHash('sha256').update(content).digest('hex')
  const place = (id: string) => `lfs/objects/${id.slice(0, 2)}/${id.slice(2, 4)}/${id}`
  const forged = 'f'.repeat(64)
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`
  mission.work({ '.gitattributes': '*.bin filter=lfs\n', 'big.bin': pointer })
  writeBelow(join(mission.directory, '.git'), place(oid), content)
  writeBelow(join(mission.directory, '.git'), place(forged), 'something else')
  symlinkSync('/etc/passwd', join(mission.directory, '.git/lfs/objects/link'))
  const pulled = mission.agenc('pull', '--squash')
  expect(pulled.exitCode).toBe(0)
  expect(pulled.stderr).toContain('1 file of git LFS came along')
  const there = (path: string) => join(box.root, checkout, '.git', path)
  expect(readFileSync(there(place(oid)), 'utf8')).toBe(content)
  expect([existsSync(there(place(forged))), existsSync(there('lfs/objects/link'))]).toEqual([false, false])

  // Files that were not made by the mission are on the server.
  const fetched = createHash('sha256').update('fetched').digest('hex')
  writeBelow(join(mission.directory, '.git'), place(fetched), 'fetched')
  expect(mission.agenc('done', '--yes').exitCode).toBe(0)
  expect(readFileSync(join(box.library, place(oid)), 'utf8')).toBe(content)
  expect(existsSync(join(box.library, place(fetched)))).toBe(false)
})

test('a mission on the base branch itself, another name, and a repo without commits', async () => {
  const box = landingBox({ from: 'checkout' })
  const mission = await box.mission({ branch: 'agenc/x' })
  mission.git('switch', '--quiet', 'main')
  const head = mission.work({ 'a.txt': 'a\n' })
  box.commit(checkout, { 'mine.txt': 'x' })
  const refused = mission.agenc('pull')
  expect(refused.stderr).toContain('has a branch main with other commits')
  expect(refused.stderr).toContain('--as <name>')
  expect(mission.agenc('pull', '--as', 'a..b')).toMatchObject({ exitCode: 64 })
  expect(mission.agenc('pull', '--as', 'from-mission').exitCode).toBe(0)
  expect(box.git(checkout, 'rev-parse', 'from-mission')).toBe(head)

  box.git('.', 'init', '--quiet', '--initial-branch=main', 'empty')
  const empty = box.agenc(['repo', 'add', join(box.root, 'empty'), '--no-trust']).stdout.trim()
  const first = await box.mission({ branch: 'first', repo: empty })
  expect(first.agenc('pull', '--merge').stderr).toContain('has no commits')
})

test('submodules that were changed are brought over as what git knows of them, and their own commits are work', async () => {
  const box = landingBox({ from: 'checkout' })
  box.git('.', 'clone', '--quiet', server, 'module')
  const mission = await box.mission()
  mission.git(
    '-c',
    'protocol.file.allow=always',
    'submodule',
    '--quiet',
    'add',
    join(box.root, 'module'),
    'sub',
  )
  mission.git('commit', '--quiet', '-m', 'Add a submodule')
  expect(mission.agenc('pull', '--merge').exitCode).toBe(0)
  expect(box.git(checkout, 'ls-tree', 'HEAD', 'sub')).toContain('160000 commit')
  box.commit(join('agenc/missions', mission.id, 'agent/sub'), { 'inner.txt': 'x' })
  const refused = mission.agenc('rm', '--yes')
  expect(refused.stderr).toContain('1 uncommitted file: sub')
  expect(refused.stderr).toContain('1 unpushed commit')
  expect(mission.isThere()).toBe(true)
})

test('a shallow and a sha256 repo', async () => {
  const box = landingBox()
  box.git('.', 'clone', '--quiet', '--depth=1', `file://${join(box.root, server)}`, 'shallow')
  const shallow = box.agenc(['repo', 'add', join(box.root, 'shallow'), '--no-trust'])
  expect(shallow.exitCode).toBe(0)
  box.git('.', 'init', '--quiet', '--initial-branch=main', '--object-format=sha256', 'sha256')
  box.commit('sha256', { 'README.md': 'hello\n' })
  const sha256 = box.agenc(['repo', 'add', join(box.root, 'sha256'), '--no-trust'])
  expect(sha256.exitCode).toBe(0)
  for (const [name, added] of [
    ['shallow', shallow],
    ['sha256', sha256],
  ] as const) {
    const mission = await box.mission({ repo: added.stdout.trim(), branch: `on-${name}` })
    mission.write({ 'a.txt': 'a\n' })
    expect(mission.agenc('pull', '--squash', '--commit', 'Add a')).toMatchObject({ exitCode: 0, stderr: '' })
    expect(readFileSync(join(box.root, name, 'a.txt'), 'utf8')).toBe('a\n')
    expect(mission.agenc('done', '--yes')).toMatchObject({ exitCode: 0, stderr: '' })
  }
})

test('line endings reach the checkout as the mission committed them', async () => {
  const box = landingBox({ from: 'checkout', files: { 'win.txt': 'one\r\ntwo\r\n' } })
  writeFileSync(join(box.home, '.gitconfig'), '[core]\nautocrlf = false\n')
  const mission = await box.mission()
  mission.write({ 'win.txt': 'one\r\nTWO\r\n' })
  expect(mission.agenc('pull', '--squash', '--commit', 'Change').exitCode).toBe(0)
  expect(readFileSync(join(box.root, checkout, 'win.txt'), 'utf8')).toBe('one\r\nTWO\r\n')
})

test('a branch whose worktree was deleted, or is away', async () => {
  const box = landingBox({ from: 'checkout' })
  const mission = await box.mission()
  mission.work({ 'a.txt': 'a\n' })
  mission.agenc('pull')
  const place = join(box.root, 'beside')
  box.git(checkout, 'worktree', 'add', '--quiet', '--lock', place, mission.branch)
  rmSync(place, { recursive: true })
  const head = mission.work({ 'b.txt': 'b\n' })
  expect(mission.agenc('pull').stderr).toContain(
    `${mission.branch} is checked out in ${place}, which is not there`,
  )
  box.git(checkout, 'worktree', 'unlock', place)
  expect(mission.agenc('pull').exitCode).toBe(0)
  expect(box.git(checkout, 'rev-parse', mission.branch)).toBe(head)
})

test('commits of the base that the mission has merged itself are not in the message of a squash', async () => {
  const box = landingBox({ from: 'checkout' })
  const mission = await box.mission()
  mission.work({ 'a.txt': 'a\n' }, 'My work')
  box.git(checkout, 'commit', '--quiet', '--allow-empty', '--message', 'Work of others')
  mission.git('fetch', '--quiet', 'local')
  mission.git('merge', '--quiet', '--no-edit', 'local/main')
  expect(mission.agenc('pull', '--squash').exitCode).toBe(0)
  expect(box.git(checkout, 'log', '-1', '--format=%B')).toBe('My work')
})
