import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type LandingBox, type LandingMission, landingBox, server } from '../helpers/landing.ts'
import { writeProgram } from '../helpers/missions.ts'

/** Work of other people on the server. */
function upstream(box: LandingBox, files: Record<string, string>, branch = 'main'): string {
  if (!existsSync(join(box.root, 'colleague'))) box.git('.', 'clone', '--quiet', server, 'colleague')
  box.commit('colleague', files)
  box.git('colleague', 'push', '--quiet', '--force', 'origin', `HEAD:${branch}`)
  return box.git('colleague', 'rev-parse', 'HEAD')
}

const read = (mission: LandingMission, name: string) => readFileSync(join(mission.directory, name), 'utf8')

function state(mission: LandingMission): string {
  return ['status --porcelain', 'rev-parse HEAD', 'for-each-ref', 'stash list', 'ls-files --stage --debug']
    .map(args => mission.git(...args.split(' ')))
    .join('\n')
}

test('the newest base is merged into branch, index and files, without the programs of the mission', async () => {
  const box = landingBox()
  const mission = await box.mission()
  const head = mission.work({ 'mine.txt': 'm\n' })
  const trap = writeProgram(join(box.root, 'trap'), `touch '${box.root}/trapped'; cat`)
  mission.git('config', 'filter.bad.smudge', trap)
  mission.git('config', 'filter.bad.clean', trap)
  for (const hook of ['post-merge', 'post-checkout', 'reference-transaction', 'pre-merge-commit'])
    writeProgram(join(mission.directory, '.git/hooks', hook), `touch '${box.root}/trapped'`)
  expect(mission.agenc('sync').stdout).toContain('already has the newest main.')
  const base = upstream(box, {
    'lib.txt': 'one\nNEW\nthree\n',
    'their dir/ü.txt': 'x',
    '.gitattributes': '*.txt filter=bad\n',
  })
  const synced = mission.agenc('sync', '--json')
  expect(JSON.parse(synced.stdout)).toMatchObject({ base: { ref: 'main', commit: base }, commits: 1 })
  expect(existsSync(join(box.root, 'trapped'))).toBe(false)
  mission.git('config', '--remove-section', 'filter.bad')
  expect(mission.git('status', '--porcelain')).toBe('')
  expect(mission.git('log', '-1', '--format=%P|%an|%s')).toBe(
    `${head} ${base}|Test|Merge branch 'main' into agenc/work`,
  )
  expect([read(mission, 'lib.txt'), read(mission, 'their dir/ü.txt'), read(mission, 'mine.txt')]).toEqual([
    'one\nNEW\nthree\n',
    'x',
    'm\n',
  ])
  expect(mission.git('rev-parse', 'origin/main')).toBe(base)
  expect(await mission.record()).toMatchObject({ base_ref: 'main', base_commit: base })
  expect(JSON.parse((await mission.record()).changes!)).toMatchObject({ files: 1, ahead: 2 })
  // The mission has all of it itself.
  renameSync(box.library, `${box.library}-away`)
  mission.git('fsck', '--connectivity-only')
})

test('--rebase keeps authors and messages, also after the base was rewritten', async () => {
  const box = landingBox()
  upstream(box, { 'dropped.txt': 'x' })
  box.agenc(['repo', 'update'])
  const mission = await box.mission()
  mission.git('config', 'user.name', 'Claude')
  delete box.env.GIT_AUTHOR_NAME
  writeFileSync(join(box.home, '.gitconfig'), '[user]\nname = User\n')
  mission.work({ 'a.txt': 'a\n' }, 'First\n\nbody')
  mission.work({ 'b.txt': 'b\n' }, 'Second')
  box.git('colleague', 'reset', '--quiet', '--hard', 'HEAD~1')
  const base = upstream(box, { 'instead.txt': 'x' })
  expect(mission.agenc('sync', '--rebase').exitCode).toBe(0)
  expect(mission.git('log', '--format=%an|%s', `${base}..`)).toBe('Claude|Second\nClaude|First')
  expect(mission.git('log', '-1', '--format=%b', 'HEAD~1')).toBe('body')
  expect(mission.git('merge-base', 'HEAD', base)).toBe(base)
  expect(mission.git('status', '--porcelain')).toBe('')
  expect(existsSync(join(mission.directory, 'dropped.txt'))).toBe(false)
})

test.each([[], ['--rebase']])('a conflict names the files and changes nothing (%s)', async (...args) => {
  const box = landingBox()
  const mission = await box.mission()
  mission.work({ 'lib.txt': 'one\nMINE\nthree\n', 'other.txt': 'x' })
  upstream(box, { 'lib.txt': 'one\nTHEIRS\nthree\n' })
  const before = state(mission)
  const refused = mission.agenc('sync', ...args)
  expect(refused.exitCode).toBe(1)
  expect(refused.stderr).toContain('main conflicts with agenc/work in 1 file: lib.txt')
  expect(state(mission)).toBe(before)
})

test('changed files, files in the way, another git and a missing server are refused; nothing changes', async () => {
  const box = landingBox()
  const mission = await box.mission()
  upstream(box, { 'theirs.txt': 'x' })
  const untouched = (reason: string, ...args: string[]) => {
    const before = state(mission)
    const refused = mission.agenc('sync', ...args)
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining(reason)])
    expect(state(mission)).toBe(before)
  }
  mission.write({ 'README.md': 'changed\n' })
  untouched('has uncommitted changes in 1 file: README.md')
  mission.git('restore', 'README.md')
  // An ignored file is in the way of one that the base brings.
  writeFileSync(join(mission.directory, '.git/info/exclude'), 'theirs.txt\n')
  mission.write({ 'theirs.txt': 'precious' })
  untouched("cannot change the mission's files")
  expect(read(mission, 'theirs.txt')).toBe('precious')
  mission.git('clean', '-fdxq')
  writeFileSync(join(mission.directory, '.git/index.lock'), '')
  untouched('another git is at work in the mission')
  renameSync(join(mission.directory, '.git/index.lock'), join(box.root, 'lock'))
  renameSync(join(box.root, server), join(box.root, 'away'))
  untouched('Take the base as it was fetched last with: --offline')
  expect(mission.agenc('sync', '--offline').stdout).toContain('now has 1 new commit of main.')
  expect(read(mission, 'theirs.txt')).toBe('x')
})

test('a base that was renamed or deleted is named, and another one can be given', async () => {
  const box = landingBox()
  const mission = await box.mission()
  box.git(server, 'branch', '-m', 'main', 'trunk')
  const refused = mission.agenc('sync')
  expect(refused.stderr).toContain('has no branch main')
  expect(refused.stderr).toContain('--base trunk')
  const base = upstream(box, { 'theirs.txt': 'x' }, 'trunk')
  expect(mission.agenc('sync', '--base', 'trunk').exitCode).toBe(0)
  expect(await mission.record()).toMatchObject({ base_ref: 'trunk', base_commit: base })
  expect(mission.git('rev-parse', 'HEAD')).toBe(base)
})
