import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sandbox } from '../helpers/cli.ts'
import { checkout, type LandingBox, landingBox, server } from '../helpers/landing.ts'
import { writeProgram } from '../helpers/missions.ts'

const path = (box: LandingBox) => join(box.root, checkout)
const log = (box: LandingBox, ref = 'HEAD', format = '%s') =>
  box.git(checkout, 'log', `--format=${format}`, ref, '--')

/** Everything that a refused pull must leave as it was. */
function state(box: LandingBox): string {
  return ['status --porcelain', 'for-each-ref', 'symbolic-ref HEAD', 'stash list']
    .map(args => box.git(checkout, ...args.split(' ')))
    .join('\n')
}

test('a pull makes a branch in the known checkout and nothing else, and rm then counts it as saved', async () => {
  const box = landingBox({ from: 'checkout' })
  const mission = await box.mission({ branch: 'agenc/über-work-1' })
  const head = mission.work({ 'a file.txt': 'a\r\n' })
  box.git(checkout, 'switch', '--quiet', '--create', 'other')
  writeFileSync(join(path(box), 'README.md'), 'dirty\n')
  const pulled = mission.agenc('pull')
  expect(pulled).toMatchObject({
    exitCode: 0,
    stderr: '',
    stdout: `agenc/über-work-1 is now a branch of ${path(box)}, with 1 commit.\n`,
  })
  expect(box.git(checkout, 'rev-parse', 'agenc/über-work-1')).toBe(head)
  expect(box.git(checkout, 'status', '--porcelain')).toBe('M README.md')
  expect(box.git(checkout, 'branch', '--show-current')).toBe('other')
  expect(mission.agenc('pull').stdout).toContain('already has the work')

  const more = mission.work({ 'b.txt': 'b\n' })
  expect(JSON.parse(mission.agenc('pull', '--json').stdout)).toMatchObject({
    id: mission.id,
    into: path(box),
    branch: 'agenc/über-work-1',
    commit: more,
    changed: true,
    way: null,
  })
  expect(mission.agenc('rm', '--yes')).toMatchObject({ exitCode: 0, stderr: '' })
})

test('a branch of that name with other commits stays, unless it is replaced on purpose', async () => {
  const box = landingBox({ from: 'checkout' })
  const mission = await box.mission()
  const head = mission.work({ 'a.txt': 'a\n' })
  box.git(checkout, 'switch', '--quiet', '--create', 'agenc/work')
  box.commit(checkout, { 'mine.txt': 'x' })
  const before = state(box)
  expect(mission.agenc('pull').stderr).toContain('has a branch agenc/work with other commits')
  expect(mission.agenc('pull', '--force').stderr).toContain(`is checked out in ${path(box)}`)
  expect(state(box)).toBe(before)
  box.git(checkout, 'switch', '--quiet', 'main')
  expect(mission.agenc('pull', '--force').exitCode).toBe(0)
  expect(box.git(checkout, 'rev-parse', 'agenc/work')).toBe(head)

  // The user tries the branch out, and the mission goes on.
  box.git(checkout, 'switch', '--quiet', 'agenc/work')
  mission.work({ 'b.txt': 'b\n' })
  expect(mission.agenc('pull').exitCode).toBe(0)
  expect(readFileSync(join(path(box), 'b.txt'), 'utf8')).toBe('b\n')
  expect(box.git(checkout, 'status', '--porcelain')).toBe('')
})

test('--squash, --merge and --rebase bring the work onto the current or a named branch', async () => {
  const box = landingBox({ from: 'checkout' })
  const mission = await box.mission({ name: 'The login' })
  mission.git('config', 'user.name', 'Claude')
  delete box.env.GIT_AUTHOR_NAME
  box.git(checkout, 'config', 'user.name', 'User')
  mission.work({ 'a.txt': 'a\n' }, 'First')
  mission.work({ 'lib.txt': 'one\nTWO\nthree\n' }, 'Second\n\nwith a body')
  box.git(checkout, 'branch', 'for-merge')
  box.commit(checkout, { 'between.txt': 'x' })
  box.git(checkout, 'branch', 'for-rebase')

  const squashed = mission.agenc('pull', '--squash')
  expect(squashed.stdout).toBe(`main in ${path(box)} now has the work of agenc/work, 2 commits.\n`)
  expect(log(box, 'HEAD', '%an|%B').split('\n').slice(0, 4)).toEqual([
    'User|The login',
    '',
    '* First',
    '* Second',
  ])
  expect(box.git(checkout, 'log', '-1', '--format=%p').split(' ')).toHaveLength(1)
  expect(readFileSync(join(path(box), 'lib.txt'), 'utf8')).toBe('one\nTWO\nthree\n')
  expect(box.git(checkout, 'status', '--porcelain')).toBe('')

  expect(mission.agenc('pull', '--rebase', '--onto', 'for-rebase').exitCode).toBe(0)
  expect(log(box, 'for-rebase', '%an|%cn|%s').split('\n').slice(0, 2)).toEqual([
    'Claude|Test|Second',
    'Claude|Test|First',
  ])
  expect(box.git(checkout, 'show', '-s', '--format=%b', 'for-rebase')).toBe('with a body')

  // A branch that is only behind moves forward.
  expect(mission.agenc('pull', '--merge', '--onto', 'for-merge').exitCode).toBe(0)
  expect(box.git(checkout, 'rev-parse', 'for-merge')).toBe(mission.git('rev-parse', 'HEAD'))
  box.git(checkout, 'switch', '--quiet', 'for-merge')
  box.commit(checkout, { 'theirs.txt': 'x' })
  mission.work({ 'c.txt': 'c\n' }, 'Third')
  expect(mission.agenc('pull', '--merge', '--message', 'Bring it').exitCode).toBe(0)
  expect(log(box, 'HEAD', '%an|%s').split('\n')[0]).toBe('User|Bring it')
  expect(box.git(checkout, 'log', '-1', '--format=%p').split(' ')).toHaveLength(2)
  expect(readFileSync(join(path(box), 'c.txt'), 'utf8')).toBe('c\n')
  expect(mission.agenc('pull', '--merge').stdout).toContain('already has the work')
})

test('without a name, a squashed commit is called like the first one, never after the prompt', async () => {
  const box = landingBox({ from: 'checkout' })
  const mission = await box.mission({ name: null, about: 'Fix what Bob broke' })
  mission.work({ 'a.txt': 'a\n' }, 'First')
  mission.work({ 'b.txt': 'b\n' }, 'Second')
  expect(mission.agenc('pull', '--squash').exitCode).toBe(0)
  expect(box.git(checkout, 'log', '-1', '--format=%B')).toBe('First\n\n* First\n* Second')
})

test.each(['--merge', '--rebase', '--squash'])(
  '%s that conflicts names the files and changes nothing',
  async way => {
    const box = landingBox({ from: 'checkout' })
    const mission = await box.mission()
    mission.work({ 'lib.txt': 'one\nMINE\nthree\n', 'new.txt': 'x' })
    box.commit(checkout, { 'lib.txt': 'one\nTHEIRS\nthree\n' })
    const before = state(box)
    const conflict = mission.agenc('pull', way)
    expect(conflict.exitCode).toBe(1)
    expect(conflict.stderr).toContain('agenc/work conflicts with main in 1 file: lib.txt')
    expect(state(box)).toBe(before)
  },
)

test('changed files in the checkout, and files in the way, are named, and nothing changes', async () => {
  const box = landingBox({ from: 'checkout' })
  const mission = await box.mission()
  mission.work({ 'lib.txt': 'one\nMINE\nthree\n', 'new dir/ü.txt': 'x' })
  writeFileSync(join(path(box), 'README.md'), 'dirty\n')
  const dirty = mission.agenc('pull', '--squash')
  expect(dirty.stderr).toContain(`${path(box)} has uncommitted changes in 1 file: README.md`)
  box.git(checkout, 'restore', 'README.md')
  mkdirSync(join(path(box), 'new dir'))
  writeFileSync(join(path(box), 'new dir/ü.txt'), 'precious')
  const inTheWay = mission.agenc('pull', '--squash')
  expect(inTheWay.exitCode).toBe(1)
  expect(inTheWay.stderr).toMatch(/Move these files away/)
  expect(readFileSync(join(path(box), 'new dir/ü.txt'), 'utf8')).toBe('precious')
  expect(log(box).split('\n')).toHaveLength(1)
  expect(box.git(checkout, 'diff', 'HEAD')).toBe('')
})

test('uncommitted work is committed on the way, and settings of the mission run nothing', async () => {
  const box = landingBox({ from: 'checkout' })
  const mission = await box.mission()
  const trap = writeProgram(join(box.root, 'trap'), `touch '${box.root}/trapped'; cat`)
  mission.git('config', 'uploadpack.packObjectsHook', trap)
  mission.git('config', 'merge.bad.driver', trap)
  mission.git('config', 'filter.bad.smudge', trap)
  mission.work({ '.gitattributes': 'lib.txt merge=bad filter=bad\n' })
  mission.write({ 'a.txt': 'a\n' })
  const refused = mission.agenc('pull')
  expect(refused.stderr).toContain('has uncommitted changes in 1 file: a.txt\nHave its Claude commit them')
  expect(mission.agenc('pull', '--squash', '--commit', 'Add a').exitCode).toBe(0)
  expect(readFileSync(join(path(box), 'a.txt'), 'utf8')).toBe('a\n')
  expect(existsSync(join(box.root, 'trapped'))).toBe(false)
})

test('a repo that is known by its address: the current directory, --into, or a refusal', async () => {
  const box = landingBox()
  const mission = await box.mission()
  const head = mission.work({ 'a.txt': 'a\n' })
  const pull = (cwd: string, ...args: string[]) =>
    box.agenc(['mission', 'pull', mission.id, ...args], { cwd: join(box.root, cwd) })
  expect(pull('.')).toMatchObject({ exitCode: 64 })
  expect(pull('.').stderr).toContain('Name it with --into <path>')
  box.git('.', 'init', '--quiet', 'stranger')
  box.commit('stranger', { x: 'y' })
  expect(pull('stranger').stderr).toContain('is not a checkout of')
  expect(pull('.', '--into', 'nowhere').stderr).toContain('is not a git repo')
  expect(box.agenc(['mission', 'pull', mission.id], { cwd: mission.directory }).stderr).toContain(
    'this is the directory of the mission itself',
  )
  mkdirSync(join(path(box), 'sub dir'))
  expect(pull(join(checkout, 'sub dir')).exitCode).toBe(0)
  expect(box.git(checkout, 'rev-parse', 'agenc/work')).toBe(head)
  // The place is known from now on.
  mission.work({ 'b.txt': 'b\n' })
  expect(pull('.').exitCode).toBe(0)
  expect(mission.agenc('rm', '--yes').exitCode).toBe(0)
})

test('a bare repo, another worktree and a detached HEAD', async () => {
  const box = landingBox({ from: 'checkout' })
  const mission = await box.mission()
  const head = mission.work({ 'a.txt': 'a\n' })
  const into = (place: string, ...args: string[]) =>
    mission.agenc('pull', '--into', join(box.root, place), ...args)
  expect(into(server, '--merge').exitCode).toBe(0)
  expect(box.git(server, 'rev-parse', 'main')).toBe(head)

  box.git(checkout, 'worktree', 'add', '--quiet', '-b', 'side', join(box.root, 'the side'))
  expect(into('the side', '--rebase').exitCode).toBe(0)
  expect(readFileSync(join(box.root, 'the side/a.txt'), 'utf8')).toBe('a\n')
  expect(into(checkout, '--merge', '--onto', 'side').stdout).toContain('already has the work')
  // A branch that is checked out elsewhere moves together with its files.
  mission.work({ 'b.txt': 'b\n' })
  expect(into(checkout, '--merge', '--onto', 'side').exitCode).toBe(0)
  expect(box.git('the side', 'status', '--porcelain')).toBe('')
  expect(readFileSync(join(box.root, 'the side/b.txt'), 'utf8')).toBe('b\n')
  expect(box.git(checkout, 'log', '--format=%s').split('\n')).toHaveLength(1)

  box.git(checkout, 'switch', '--quiet', '--detach')
  expect(into(checkout, '--merge').stderr).toContain('is on no branch (detached HEAD)')
  expect(into(checkout, '--merge', '--onto', 'nothing').stderr).toContain('has no branch nothing')
  expect(into(checkout, '--merge', '--onto', 'main').exitCode).toBe(0)
})

test('of two pulls at once, each has landed or changed nothing', async () => {
  const box = landingBox({ from: 'checkout' })
  const [one, two] = [await box.mission({ branch: 'one' }), await box.mission({ branch: 'two' })]
  one.work({ 'one.txt': '1\n' }, 'One')
  two.work({ 'two.txt': '2\n' }, 'Two')
  const pulls = await Promise.all(
    [one, two].map(({ id }) => box.agencAsync(['mission', 'pull', id, '--squash'])),
  )
  const landed = pulls.filter(({ exitCode }) => exitCode === 0).length
  expect(landed).toBeGreaterThan(0)
  expect(log(box).split('\n')).toHaveLength(1 + landed)
  expect(box.git(checkout, 'status', '--porcelain')).toBe('')
  for (const mission of [one, two]) mission.agenc('pull', '--squash')
  expect(log(box).split('\n').slice(0, 2).sort()).toEqual(['One', 'Two'])
})

test.each([
  [['--merge', '--squash'], 'exclude each other'],
  [['--onto', 'main'], '--onto needs'],
  [['--rebase', '--message', 'x'], '--message needs'],
  [['--merge', '--force'], '--force is only'],
])('%j is a mistake', async (args, text) => {
  const ran = sandbox().agenc(['mission', 'pull', 'any', ...args])
  expect([ran.exitCode, ran.stderr]).toEqual([64, expect.stringContaining(text)])
})

test('an ignored file in the way is named and stays', async () => {
  const box = landingBox({ from: 'checkout', files: { '.gitignore': 'local.conf\n' } })
  const mission = await box.mission()
  mission.work({ '.gitignore': '', 'local.conf': 'theirs' })
  writeFileSync(join(path(box), 'local.conf'), 'precious')
  const refused = mission.agenc('pull', '--merge')
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('  local.conf')])
  expect(readFileSync(join(path(box), 'local.conf'), 'utf8')).toBe('precious')
})

test('a shallow checkout, which does not have the first commit', async () => {
  const box = landingBox()
  box.commit(checkout, { more: '1' })
  box.git(checkout, 'push', '--quiet', 'origin', 'main')
  const mission = await box.mission()
  const head = mission.work({ 'a.txt': 'a\n' })
  const into = ['--into', join(box.root, 'shallow')]
  box.git('.', 'clone', '--quiet', '--depth=1', `ssh://host${join(box.root, server)}`, 'shallow')
  expect(mission.agenc('pull', ...into)).toMatchObject({
    exitCode: 0,
    stderr: expect.not.stringMatching(/^agenc:/),
  })
  expect(box.git('shallow', 'rev-parse', 'agenc/work')).toBe(head)
  expect(mission.agenc('pull', '--squash', ...into).exitCode).toBe(0)
  expect(box.git('shallow', 'status', '--porcelain')).toBe('')
  expect(mission.agenc('rm', '--yes').exitCode).toBe(0)
})
