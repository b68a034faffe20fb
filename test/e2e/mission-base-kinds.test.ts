import { expect, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { fakeGh } from '../helpers/fake-gh.ts'
import { checkout, type LandingMission, landingBox, server } from '../helpers/landing.ts'
import { workBox } from '../helpers/work-missions.ts'

/** A repo that was added by the path of a checkout, whose origin has a branch that the checkout does not have. */
async function onBranchOfOrigin() {
  const box = landingBox({ from: 'checkout' })
  box.git('.', 'clone', '--quiet', server, 'colleague')
  box.git('colleague', 'switch', '--quiet', '--create', 'release')
  box.commit('colleague', { 'release.txt': 'one\ntwo\nthree\n' })
  const push = (files: Record<string, string>) => {
    box.commit('colleague', files)
    box.git('colleague', 'push', '--quiet', 'origin', 'release')
    box.git(checkout, 'fetch', '--quiet')
    expect(box.agenc(['repo', 'update', box.repo])).toMatchObject({ exitCode: 0 })
  }
  push({ 'start.txt': 'x\n' })
  const base_commit = box.git(box.library, 'rev-parse', 'refs/remotes/origin/release')
  const mission = await box.mission({ base_ref: 'origin/release', base_commit })
  mission.git('reset', '--quiet', '--hard', base_commit)
  return { box, mission, push }
}

const filesOf = (mission: LandingMission) =>
  JSON.parse(mission.agenc('diff', '--json').stdout).files.map(({ path }: { path: string }) => path)

test("a base that only the checkout's origin has: the work of others does not count, and conflicts are found", async () => {
  const { box, mission, push } = await onBranchOfOrigin()
  mission.work({ 'own.txt': 'own\n', 'release.txt': 'one\nOURS\nthree\n' })
  push({ 'other.txt': 'other\n' })
  mission.git('fetch', '--quiet', box.library, 'refs/remotes/origin/release')
  mission.git('merge', '--quiet', '--no-edit', 'FETCH_HEAD')
  expect(filesOf(mission)).toEqual(['own.txt', 'release.txt'])
  push({ 'release.txt': 'one\nTHEIRS\nthree\n' })
  expect(JSON.parse(mission.agenc('conflicts', '--json').stdout)).toEqual([
    { mission: mission.id, with: 'base', files: ['release.txt'] },
  ])
})

test("a base that only the checkout's origin has is brought in by sync, and not pushed to by mistake", async () => {
  const { mission, push } = await onBranchOfOrigin()
  mission.work({ 'own.txt': 'own\n' })
  push({ 'other.txt': 'other\n' })
  expect(mission.agenc('sync')).toMatchObject({ exitCode: 0 })
  expect(filesOf(mission)).toEqual(['own.txt'])
  mission.git('branch', '--quiet', '--move', 'release')
  expect(mission.agenc('push').stderr).toContain('works on release itself')
})

test.each([
  ['origin/main', 'main'],
  ['v1', null],
])('a pull request of a mission that started from %s goes to %s', async (base_ref, base) => {
  const box = workBox()
  box.bench.repo('seed')
  box.bench.git('seed', 'tag', 'v1')
  box.bench.git('.', 'clone', '--quiet', '--bare', 'seed', 'server/acme/app.git')
  box.bench.userConfig(`[url "${box.root}/server/"]\n  insteadOf = https://github.com/\n`)
  box.bench.git('.', 'clone', '--quiet', 'https://github.com/acme/app', 'src/app')
  const gh = fakeGh(box)
  const mission = await box.mission(box.add('./src/app'), 'one', { base_ref })
  mission.commit({ 'a.txt': 'a\n' })
  expect(box.agenc(['mission', 'pr', 'one'])).toMatchObject({ exitCode: 0 })
  const { args } = gh.calls().at(-1)!
  expect(args.includes('--base') ? args[args.indexOf('--base') + 1] : null).toBe(base)
})

test('a tag or a commit as base stays where it is, and sync says that it is no branch', async () => {
  const box = landingBox()
  const base_commit = box.git(box.library, 'rev-parse', 'HEAD')
  box.git(box.library, 'tag', 'v1')
  for (const base_ref of ['v1', base_commit.slice(0, 10)]) {
    const mission = await box.mission({ base_ref, branch: `agenc/${base_ref}` })
    mission.work({ 'own.txt': 'own\n' })
    expect(filesOf(mission)).toEqual(['own.txt'])
    const shown: MissionJson = JSON.parse(mission.agenc('show', '--json').stdout)
    expect(shown.base).toMatchObject({ ref: base_ref, commit: base_commit })
    expect(mission.agenc('sync').stderr).toContain(`has no branch ${base_ref}`)
    expect(mission.agenc('conflicts').stdout).not.toContain('its base')
    expect(mission.agenc('rm', '--yes').stderr).toContain('1 unpushed commit')
  }
})

test('the work of a mission that started from a tag has arrived when the default branch has it', async () => {
  const box = landingBox({ from: 'checkout' })
  box.git(checkout, 'tag', 'v1')
  const mission = await box.mission({ base_ref: 'v1' })
  mission.work({ 'lib.txt': 'one\nTWO\nthree\n' })
  box.git('.', 'clone', '--quiet', server, 'colleague')
  box.git('colleague', 'fetch', '--quiet', mission.directory, 'agenc/work')
  box.git('colleague', 'merge', '--quiet', '--squash', 'FETCH_HEAD')
  box.git('colleague', 'commit', '--quiet', '--message', 'Squashed')
  box.git('colleague', 'push', '--quiet', 'origin', 'main')
  expect(mission.agenc('rm', '--yes')).toMatchObject({ exitCode: 0, stderr: '' })
})
