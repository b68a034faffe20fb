import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { shortId } from '../../src/mission-id.ts'
import { expectUsageError, type RecordsBox, recordsBox } from '../helpers/records.ts'

const app = 'local/src/app'

/** Runs git in the directory of a mission. */
function inMission(box: RecordsBox, { dir }: MissionJson, ...args: string[]): string {
  return box.bench.git(dir.slice(box.root.length + 1), ...args)
}

function commitOf(box: RecordsBox, ref: string): string {
  return box.bench.git('src/app', 'rev-parse', `${ref}^{commit}`)
}

test('a mission starts on the newest commit of the default branch, on a branch of its own', async () => {
  const box = recordsBox()
  box.bench.commit('src/app', { 'new.txt': 'since the repo was added\n' })
  const mission = await box.create(app, '--name', 'Fix the Login')
  expect(readFileSync(join(mission.dir, 'new.txt'), 'utf8')).toContain('since')
  const branch = `agenc/Fix-the-Login-${shortId(mission.id)}`
  const { updated_at } = box.agencJson<{ id: string; updated_at: string }[]>(['repo', 'ls'])[0]!
  expect(mission).toMatchObject({
    branch,
    base: { ref: 'main', commit: commitOf(box, 'main'), at: updated_at },
  })
  expect(inMission(box, mission, 'symbolic-ref', '--short', 'HEAD')).toBe(branch)
  expect(inMission(box, mission, 'status', '--branch', '--porcelain')).toBe(`## ${branch}`)
  const shown = box.agenc(['mission', 'show', mission.id]).stdout
  expect(shown).toMatch(new RegExp(`base +main@${commitOf(box, 'main').slice(0, 7)}, \\d+ s old`))
  expect(shown).toContain(branch)
})

test('a mission without a name has only its id in the branch, never words of its prompt', async () => {
  const box = recordsBox()
  const mission = await box.create(app, '--prompt', 'the secret project')
  expect(mission.branch).toBe(`agenc/${shortId(mission.id)}`)
})

test('a push from the branch makes a branch of the same name, and nothing else', async () => {
  const box = recordsBox()
  const mission = await box.create(app, '--name', 'x')
  box.bench.commit(mission.dir.slice(box.root.length + 1), { work: 'x' })
  inMission(box, mission, 'push', '--quiet')
  expect(box.bench.git('src/app', 'branch', '--list', 'agenc/*', '--format=%(refname:short)')).toBe(
    mission.branch,
  )
  expect(inMission(box, mission, 'status', '--branch', '--porcelain')).toBe(
    `## ${mission.branch}...origin/${mission.branch}`,
  )
})

test('with an empty template, a mission stays on the base branch, which tracks origin', async () => {
  const box = recordsBox()
  box.agenc(['config', 'set', 'missions.branch', ''])
  const mission = await box.create(app, '--name', 'a')
  expect(mission.branch).toBe('main')
  expect(inMission(box, mission, 'status', '--branch', '--porcelain')).toBe('## main...origin/main')
  const detached = await box.create(app, '--base', commitOf(box, 'main'))
  expect(detached.branch).toBe(null)
  expect(inMission(box, detached, 'status', '--branch', '--porcelain')).toBe('## HEAD (no branch)')
})

test('a name that the template makes twice gets the id once the remote has it', async () => {
  const box = recordsBox()
  box.agenc(['config', 'set', 'missions.branch', 'wip/{name}'])
  box.bench.git('src/app', 'branch', 'wip/a')
  box.bench.git('src/app', 'branch', 'wip/b/c')
  const mission = await box.create(app, '--name', 'a')
  expect(mission.branch).toBe(`wip/a-${shortId(mission.id)}`)
  expect((await box.create(app, '--name', 'b')).branch).toBe('wip-b')
})

test('a mission starts on the branch, tag or commit that --base names', async () => {
  const box = recordsBox()
  const first = commitOf(box, 'main')
  box.bench.git('src/app', 'tag', '--annotate', '--message', 'one', 'v1')
  box.bench.commit('src/app', { two: '2' })
  box.bench.git('src/app', 'branch', 'release/2')
  const second = commitOf(box, 'main')
  box.bench.commit('src/app', { three: '3' })
  for (const [base, ref, commit] of [
    ['v1', 'v1', first],
    ['origin/release/2', 'release/2', second],
    [first.slice(0, 8), first.slice(0, 8), first],
  ] as const) {
    const mission = await box.create(app, '--base', base)
    expect(mission.base).toMatchObject({ ref, commit })
    expect(inMission(box, mission, 'rev-parse', 'HEAD')).toBe(commit)
    expect(mission.branch).toBe(`agenc/${shortId(mission.id)}`)
  }
})

test('an unknown base fails before anything is created, and a close name is suggested', () => {
  const box = recordsBox()
  const create = (...args: string[]) => box.agenc(['mission', 'new', app, '--detach', ...args])
  const unknown = create('--base', 'mian')
  expect(unknown).toMatchObject({ exitCode: 1, stdout: '' })
  expect(unknown.stderr).toContain('has no branch, tag or commit "mian"')
  expect(unknown.stderr).toContain('Did you mean main?')
  expect(create('--base', 'zzz').stderr).toContain('It has the branch main.')
  for (const bad of ['a b', '..', '-x', 'x~1', 'a.lock', 'x^{commit}', ''])
    expectUsageError(create(`--base=${bad}`), 'is not the name of a branch, a tag or a commit')
  for (const bad of ['a b', 'HEAD', 'a..b', '@{', '/a', 'a/'])
    expectUsageError(create(`--branch=${bad}`), 'is not a valid name of a branch')
  expect(box.missions()).toEqual([])
  expect(existsSync(join(box.agencHome, 'missions'))).toBe(false)
})

test('options for the start of a repo are refused without one', () => {
  const box = recordsBox()
  for (const source of [['--blank'], ['--clone', 'x']])
    for (const option of [['--base', 'main'], ['--branch', 'x'], ['--offline']])
      expectUsageError(box.agenc(['mission', 'new', ...source, ...option]), `${option[0]} needs a repo`)
})

test('--branch names the branch, or continues one that the remote has', async () => {
  const box = recordsBox()
  const base = commitOf(box, 'main')
  box.bench.git('src/app', 'switch', '--quiet', '--create', 'feature')
  box.bench.commit('src/app', { feature: 'x' })
  box.bench.git('src/app', 'switch', '--quiet', 'main')
  box.bench.commit('src/app', { more: 'x' })
  const own = await box.create(app, '--branch', 'fix/login')
  expect(own).toMatchObject({ branch: 'fix/login', base: { ref: 'main', commit: commitOf(box, 'main') } })
  const continued = await box.create(app, '--branch', 'feature')
  expect(continued).toMatchObject({ branch: 'feature', base: { ref: 'main', commit: base } })
  expect(inMission(box, continued, 'rev-parse', 'HEAD')).toBe(commitOf(box, 'feature'))
  expect(inMission(box, continued, 'status', '--branch', '--porcelain')).toBe('## feature...origin/feature')
  const both = box.agenc(['mission', 'new', app, '--detach', '--branch', 'feature', '--base', 'main'])
  expectUsageError(both, 'the remote has a branch "feature"')
  const blocked = box.agenc(['mission', 'new', app, '--detach', '--branch', 'feature/x'])
  expectUsageError(blocked, 'because there is a branch "feature"')
})

test('a mission never starts on what happens to be checked out in the source', async () => {
  const box = recordsBox()
  const main = commitOf(box, 'main')
  box.bench.git('src/app', 'switch', '--quiet', '--create', 'feature')
  box.bench.commit('src/app', { feature: 'x' })
  const mission = await box.create(app)
  expect(mission.base).toMatchObject({ ref: 'main', commit: main })
  expect(inMission(box, mission, 'rev-parse', 'HEAD')).toBe(main)
})

test("the default branch is the one that the source's own origin has, even if the source has no such branch", async () => {
  const box = recordsBox()
  box.bench.repo('hub/lib', { file: 'x' })
  box.bench.git('hub/lib', 'branch', '--move', 'main', 'stable')
  box.bench.git('hub/lib', 'branch', 'main')
  box.bench.git('.', 'clone', '--quiet', join(box.root, 'hub/lib'), 'src/lib')
  box.bench.git('src/lib', 'switch', '--quiet', '--create', 'mine')
  box.bench.git('src/lib', 'branch', '--delete', '--force', 'stable')
  box.bench.commit('src/lib', { mine: 'x' })
  expect(box.agenc(['repo', 'add', './src/lib', '--no-trust']).exitCode).toBe(0)
  const stable = box.bench.git('hub/lib', 'rev-parse', 'stable')
  for (const _ of [1, 2])
    expect((await box.create('local/src/lib')).base).toMatchObject({ ref: 'stable', commit: stable })
})

test('a source whose default branch nobody can tell needs --base', async () => {
  const box = recordsBox()
  box.bench.repo('src/odd')
  box.bench.git('src/odd', 'branch', '--move', 'main', 'one')
  box.bench.git('src/odd', 'branch', 'two')
  box.agenc(['repo', 'add', './src/odd', '--no-trust'])
  const refused = box.agenc(['mission', 'new', 'local/src/odd', '--detach'])
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
  expect(refused.stderr).toMatch(/cannot tell which branch of .* is the default one/)
  expect(refused.stderr).toMatch(/the branches (one, two|two, one)/)
  expect((await box.create('local/src/odd', '--base', 'two')).base!.ref).toBe('two')
  box.bench.git('src/odd', 'branch', '--delete', 'two')
  expect((await box.create('local/src/odd')).base!.ref).toBe('one')
})

test('a renamed default branch and a force-pushed one are followed', async () => {
  const box = recordsBox()
  const before = await box.create(app)
  box.bench.git('src/app', 'commit', '--quiet', '--amend', '--allow-empty', '--message', 'rewritten')
  expect((await box.create(app)).base!.commit).toBe(commitOf(box, 'main'))
  box.bench.git('src/app', 'branch', '--move', 'main', 'trunk')
  expect((await box.create(app)).base).toMatchObject({ ref: 'trunk', commit: commitOf(box, 'trunk') })
  expect(box.agencJson<MissionJson>(['mission', 'show', before.id]).base).toEqual(before.base)
})

test('a repo without commits: the mission starts on its own branch, without a base', async () => {
  const box = recordsBox()
  mkdirSync(join(box.root, 'src/void'))
  box.bench.git('src/void', 'init', '--quiet', '--initial-branch=main')
  box.agenc(['repo', 'add', './src/void', '--no-trust'])
  const mission = await box.create('local/src/void')
  expect(mission).toMatchObject({ branch: `agenc/${shortId(mission.id)}`, base: null })
  expect(inMission(box, mission, 'symbolic-ref', '--short', 'HEAD')).toBe(mission.branch)
  const refused = box.agenc(['mission', 'new', 'local/src/void', '--detach', '--base', 'main'])
  expect(refused.stderr).toContain('It has no commits yet.')
})

test('a source that cannot be reached: the mission starts on what is there, and a line says so', async () => {
  const box = recordsBox()
  const main = commitOf(box, 'main')
  renameSync(join(box.root, 'src/app'), join(box.root, 'src/away'))
  const started = box.terminal(['mission', 'new', app])
  expect(await started.exited).toBe(0)
  expect(started.raw()).toMatch(
    new RegExp(`agenc: cannot fetch: .*; starting on main@${main.slice(0, 7)}, fetched \\d+ s ago`),
  )
  expect(box.missions()[0]!.base!.commit).toBe(main)
  const unknown = box.agenc(['mission', 'new', app, '--detach', '--base', 'other'])
  expect(unknown.stderr).toMatch(/does not have "other" of .*, and it cannot be fetched: cannot fetch/)
})

test('--offline fetches nothing', async () => {
  const box = recordsBox()
  const main = commitOf(box, 'main')
  box.bench.commit('src/app', { new: 'x' })
  expect((await box.create(app, '--offline')).base!.commit).toBe(main)
  const unknown = box.agenc(['mission', 'new', app, '--detach', '--offline', '--base', 'other'])
  expect(unknown.stderr).toContain('has no branch, tag or commit "other"')
})

test('a fork has the branch and the base of its original', async () => {
  const box = recordsBox()
  const original = await box.create(app, '--name', 'a')
  const fork = box.terminal(['mission', 'fork', original.id])
  expect(await fork.exited).toBe(0)
  const { branch, base } = box.missions().find(({ id }) => id !== original.id)!
  expect({ branch, base }).toEqual({ branch: original.branch, base: original.base })
})

test('the branches of the repo complete --base and --branch', () => {
  const box = recordsBox()
  box.bench.git('src/app', 'branch', 'release')
  box.agenc(['repo', 'update'])
  const offered = (...words: string[]) =>
    box
      .agenc(['_complete', '--', 'mission', 'new', app, ...words])
      .stdout.trimEnd()
      .split('\n')
  expect(offered('--base', '').sort()).toEqual(['main\tbranch', 'release\tbranch'])
  expect(offered('--branch', 'rel')).toEqual(['release\tbranch'])
})
