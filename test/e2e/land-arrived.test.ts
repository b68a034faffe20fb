import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkout, type LandingBox, type LandingMission, landingBox, server } from '../helpers/landing.ts'

/** Pushes the mission's branch, as its Claude or `agenc mission push` would. */
function push(mission: LandingMission): void {
  mission.git('push', '--quiet', 'origin', 'HEAD')
}

/** A clone in which other people merge. */
function colleague(box: LandingBox): string {
  box.git('.', 'clone', '--quiet', server, 'colleague')
  return 'colleague'
}

const rm = (mission: LandingMission) => mission.agenc('rm', '--yes')

test('a branch that was squashed on the server has arrived, also with later work on the same lines', async () => {
  const box = landingBox()
  const mission = await box.mission()
  mission.work({ 'lib.txt': 'one\nTWO\nthree\n' })
  mission.work({ 'new file.txt': 'x\n' })
  const refused = rm(mission)
  expect(refused.exitCode).toBe(1)
  expect(refused.stderr).toContain('has work that exists only here\n  2 unpushed commits on agenc/work')
  expect(mission.isThere()).toBe(true)

  push(mission)
  const other = colleague(box)
  box.git(other, 'merge', '--quiet', '--squash', 'origin/agenc/work')
  box.git(other, 'commit', '--quiet', '-m', 'Squashed')
  box.commit(other, { 'lib.txt': 'one\nSomething else\nthree\n' })
  box.git(other, 'push', '--quiet', 'origin', 'main', ':agenc/work')
  // The mission does not know that its branch was there.
  mission.git('update-ref', '-d', 'refs/remotes/origin/agenc/work')
  expect(rm(mission)).toMatchObject({ exitCode: 0, stderr: '' })
  expect(mission.isThere()).toBe(false)
})

test('the server is asked, also if the repo was added by the path of a checkout that has not fetched since', async () => {
  const box = landingBox({ from: 'checkout' })
  const mission = await box.mission()
  mission.work({ 'lib.txt': 'one\nTWO\nthree\n' })
  mission.work({ 'b.txt': 'b\n' })
  const other = colleague(box)
  box.git(other, 'fetch', '--quiet', mission.directory, 'agenc/work')
  box.git(other, 'merge', '--quiet', '--squash', 'FETCH_HEAD')
  box.git(other, 'commit', '--quiet', '-m', 'Squashed')
  box.git(other, 'push', '--quiet', 'origin', 'main')
  box.agenc(['config', 'set', 'repos.fetch_timeout', '0'])
  expect(rm(mission).stderr).toContain('2 unpushed commits on agenc/work')
  box.agenc(['config', 'unset', 'repos.fetch_timeout'])
  expect(rm(mission)).toMatchObject({ exitCode: 0, stderr: '' })
})

test('commits that were picked one by one have arrived; one that was left out has not', async () => {
  const box = landingBox()
  const mission = await box.mission()
  const first = mission.work({ 'a.txt': 'a\n' })
  const second = mission.work({ 'b.txt': 'b\n' })
  const other = colleague(box)
  box.git(other, 'fetch', '--quiet', mission.directory, 'agenc/work')
  box.commit(other, { 'between.txt': 'x' })
  box.git(other, 'cherry-pick', first)
  box.git(other, 'push', '--quiet', 'origin', 'main')
  expect(rm(mission).stderr).toContain('unpushed commits on agenc/work')
  box.git(other, 'cherry-pick', second)
  // The files are no longer what the mission made of them.
  box.commit(other, { 'a.txt': 'A\n' })
  box.git(other, 'push', '--quiet', 'origin', 'main')
  expect(rm(mission).exitCode).toBe(0)
})

test("a branch in the user's checkout has arrived, until it is deleted there", async () => {
  const box = landingBox({ from: 'checkout' })
  const mission = await box.mission()
  mission.work({ 'a.txt': 'a\n' })
  box.git(checkout, 'fetch', '--quiet', mission.directory, 'agenc/work:taken')
  box.agenc(['repo', 'update'])
  box.git(checkout, 'branch', '-D', 'taken')
  expect(rm(mission).stderr).toContain('1 unpushed commit on agenc/work')
  box.git(checkout, 'fetch', '--quiet', mission.directory, 'agenc/work:taken')
  expect(rm(mission)).toMatchObject({ exitCode: 0, stderr: '' })
})

test('files that are not committed have arrived if a branch has them', async () => {
  const box = landingBox({ from: 'checkout' })
  const mission = await box.mission()
  mission.write({ 'a.txt': 'a\n', 'README.md': 'changed\n' })
  expect(rm(mission).stderr).toContain('1 uncommitted file: README.md\n  1 untracked file: a.txt')
  box.commit(checkout, { 'a.txt': 'a\n', 'README.md': 'changed\n', 'more.txt': 'x' })
  mission.write({ 'README.md': 'changed again\n' })
  expect(rm(mission).stderr).toContain('1 uncommitted file: README.md')
  mission.write({ 'README.md': 'changed\n' })
  expect(rm(mission)).toMatchObject({ exitCode: 0, stderr: '' })
})

test('other branches, stashes and commits without a branch are work too', async () => {
  const box = landingBox()
  const mission = await box.mission()
  mission.git('switch', '--quiet', '--create', 'with/slash')
  mission.work({ 'a.txt': 'a\n' })
  mission.git('switch', '--quiet', '--detach', 'main')
  mission.work({ 'b.txt': 'b\n' })
  mission.write({ 'README.md': 'stashed\n' })
  mission.git('stash')
  expect(rm(mission).stderr).toContain(
    '\n  1 stash\n  1 unpushed commit on with/slash\n  1 unpushed commit on no branch\n',
  )
})

test('without the server, what is known decides; a broken repo is never taken for an empty one', async () => {
  const box = landingBox()
  const mission = await box.mission()
  const commit = mission.work({ 'a.txt': 'a\n' })
  renameSync(join(box.root, server), join(box.root, 'away'))
  expect(rm(mission).stderr).toContain('1 unpushed commit on agenc/work')
  rmSync(join(mission.directory, '.git/objects', commit.slice(0, 2), commit.slice(2)), { force: true })
  const broken = rm(mission)
  expect(broken.stderr).toContain('cannot tell what is in it')
  expect(broken.exitCode).toBe(1)
  expect(mission.isThere()).toBe(true)
})

test('a binary file that differs from the one that was squashed has not arrived', async () => {
  const box = landingBox()
  const mission = await box.mission()
  mission.work({ 'image.bin': 'a\0mine' })
  const other = colleague(box)
  box.commit(other, { 'image.bin': 'a\0theirs' })
  box.git(other, 'push', '--quiet', 'origin', 'main')
  expect(rm(mission).stderr).toContain('1 unpushed commit on agenc/work')
})
