import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../../src/db/open-store.ts'
import { type LandingOptions, readyToLand } from '../../src/git-work/landing.ts'
import { contextOf, type LandingBox, type LandingMission, landingBox } from '../helpers/landing.ts'
import { writeProgram } from '../helpers/missions.ts'

async function ready(box: LandingBox, mission: LandingMission, options: LandingOptions = {}) {
  const { context, lines } = contextOf(box)
  const db = await openStore(context.paths.database)
  try {
    const work = await readyToLand(context, db, await mission.record(), options)
    return { ...work, lines, refused: null }
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string }
    return { refused: `${message}\n${hint ?? ''}`, lines, head: '', branch: '', base: null }
  } finally {
    db.close()
  }
}

test('uncommitted work is refused by name, or committed in the name of the user', async () => {
  const box = landingBox()
  const mission = await box.mission()
  const before = mission.git('rev-parse', 'HEAD')
  mission.write({ 'a file.txt': 'x', 'README.md': 'changed\n', 'dir/ü.txt': 'y' })
  mission.git('add', 'dir')
  const first = await ready(box, mission)
  expect(first.refused).toContain('has uncommitted changes in 3 files: README.md, a file.txt, dir/ü.txt')
  expect(first.refused).toContain('--commit <message>')
  expect(mission.git('rev-parse', 'HEAD')).toBe(before)

  const done = await ready(box, mission, { commit: 'Say hello\n\nin two lines' })
  expect(done.refused).toBeNull()
  expect(mission.git('status', '--porcelain')).toBe('')
  expect(mission.git('log', '-1', '--format=%H %an <%ae> %B')).toBe(
    `${done.head} Test <test@example.com> Say hello\n\nin two lines`,
  )
  expect(mission.git('log', '-1', '--format=%P')).toBe(before)
  expect(done).toMatchObject({ branch: 'agenc/work', base: before })
  const kept = (ref: string) => box.git(box.library, 'rev-parse', `refs/agenc/${mission.id}/${ref}`)
  expect([kept('heads/agenc/work'), kept('head')]).toEqual([done.head, done.head])
  expect(JSON.parse((await mission.record()).changes!)).toMatchObject({ ahead: 1, files: 3, dirty: false })
})

test('settings, filters and hooks of the mission do not run; excluded files stay out and are named', async () => {
  const box = landingBox({ files: { 'README.md': 'hello\n', '.env.example': 'A=1\n' } })
  const mission = await box.mission()
  const trap = writeProgram(join(box.root, 'trap'), `touch '${box.root}/trapped'; cat`)
  for (const [key, value] of [
    ['filter.bad.clean', trap],
    ['core.fsmonitor', trap],
    ['gpg.program', trap],
    ['commit.gpgsign', 'true'],
    ['user.name', 'Mallory'],
  ])
    mission.git('config', key!, value!)
  for (const hook of ['pre-commit', 'commit-msg', 'post-commit', 'reference-transaction'])
    writeProgram(join(mission.directory, '.git/hooks', hook), `touch '${box.root}/trapped'`)
  mission.write({ 'new.txt': 'x', '.env': 'SECRET', '.env.example': 'A=2\n' })
  delete box.env.GIT_AUTHOR_NAME
  delete box.env.GIT_COMMITTER_NAME
  writeFileSync(join(box.home, '.gitconfig'), '[user]\nname = Global\nemail = global@example.com\n')
  const { refused, lines } = await ready(box, mission, { commit: 'New' })
  expect(refused).toBeNull()
  expect(lines).toEqual(['Not committed: .env.example', 'Not committed, and left out: .env'])
  expect(existsSync(join(box.root, 'trapped'))).toBe(false)
  const library = (format: string) =>
    box.git(box.library, 'log', '-1', `--format=${format}`, `refs/agenc/${mission.id}/head`)
  expect(library('%an')).toBe('Global')
  expect(box.git(box.library, 'ls-tree', '-r', '--name-only', `refs/agenc/${mission.id}/head`)).toBe(
    '.env.example\nREADME.md\nnew.txt',
  )
})

test('excluded files that Claude has staged are not committed, and are named', async () => {
  const box = landingBox({ files: { '.gitignore': '.env\n', 'a.key': 'OLD\n' } })
  const mission = await box.mission()
  mission.write({ '.env': 'SECRET\n', 'a.key': 'SECRET\n', 'new.txt': 'x\n' })
  mission.git('add', '--force', '--all')
  expect((await ready(box, mission)).refused).toContain('in 2 files: new.txt, a.key')
  const { refused, lines, head } = await ready(box, mission, { commit: 'New' })
  expect(refused).toBeNull()
  expect(lines).toEqual(['Not committed: a.key', 'Not committed, and left out: .env'])
  expect(mission.git('show', `${head}:a.key`)).toBe('OLD')
  expect(mission.git('ls-tree', '--name-only', head)).toBe('.gitignore\na.key\nnew.txt')
  expect(readFileSync(join(mission.directory, '.env'), 'utf8')).toBe('SECRET\n')
})

test('files with a filter are not committed behind its back', async () => {
  const box = landingBox()
  const mission = await box.mission()
  mission.write({ '.gitattributes': '*.bin filter=lfs\n', 'big.bin': 'pixels' })
  const { refused } = await ready(box, mission, { commit: 'Pixels' })
  expect(refused).toContain('has uncommitted changes in 1 file: big.bin')
  expect(refused).toContain('which agenc does not run')
})

test('the hooks of a trusted repo run, and may change or refuse the commit', async () => {
  const box = landingBox({ trust: true })
  const mission = await box.mission()
  mission.git('config', 'core.hooksPath', '.husky')
  mission.work({ '.husky/README': 'hooks' })
  writeProgram(join(mission.directory, '.husky', 'pre-commit'), 'echo formatted >new.txt; git add new.txt')
  writeProgram(
    join(mission.directory, '.husky', 'commit-msg'),
    'grep -q "^fix:" "$1" || { echo "no type" >&2; exit 1; }; echo "Checked-by: hook" >>"$1"',
  )
  mission.git('add', '.husky')
  mission.git('-c', 'core.hooksPath=/dev/null', 'commit', '-qm', 'hooks')
  const before = mission.git('rev-parse', 'HEAD')
  mission.write({ 'new.txt': 'raw\n' })
  const refusal = await ready(box, mission, { commit: 'wrong' })
  expect(refusal.refused).toContain("the repo's commit-msg hook refused the commit\n  no type")
  expect(mission.git('rev-parse', 'HEAD')).toBe(before)
  expect((await ready(box, mission, { commit: 'fix: new' })).refused).toBeNull()
  expect(mission.git('show', 'HEAD:new.txt')).toBe('formatted')
  expect(mission.git('log', '-1', '--format=%B')).toContain('Checked-by: hook')
  expect(mission.git('status', '--porcelain')).toBe('')
})

test("the user's settings for signing apply", async () => {
  const box = landingBox()
  const mission = await box.mission()
  mission.write({ 'new.txt': 'x' })
  const gpg = writeProgram(
    join(box.root, 'gpg'),
    'cat >/dev/null; echo "[GNUPG:] SIG_CREATED " >&2; printf -- "-----BEGIN PGP SIGNATURE-----\\nfake\\n-----END PGP SIGNATURE-----\\n"',
  )
  writeFileSync(join(box.home, '.gitconfig'), `[commit]\ngpgsign = true\n[gpg]\nprogram = ${gpg}\n`)
  expect((await ready(box, mission, { commit: 'Signed' })).refused).toBeNull()
  expect(box.git(box.library, 'cat-file', 'commit', `refs/agenc/${mission.id}/head`)).toContain('gpgsig')
  writeProgram(join(box.root, 'gpg'), 'echo "gpg: no secret key" >&2; exit 2')
  const before = mission.git('rev-parse', 'HEAD')
  mission.write({ 'new.txt': 'y' })
  expect((await ready(box, mission, { commit: 'Signed' })).refused).toContain('the commit cannot be signed')
  expect(mission.git('rev-parse', 'HEAD')).toBe(before)
})

test('a mission in the middle of something, on no branch or without work is refused with that named', async () => {
  const box = landingBox()
  const mission = await box.mission()
  expect((await ready(box, mission)).refused).toContain('has nothing to land: main has all its commits')
  const main = mission.git('rev-parse', 'HEAD')
  mission.work({ 'README.md': 'mine\n' })
  mission.git('switch', '--quiet', '--create', 'other', main)
  mission.work({ 'README.md': 'theirs\n' })
  expect(() => mission.git('merge', 'agenc/work')).toThrow()
  expect((await ready(box, mission, { commit: 'x' })).refused).toContain('is in the middle of a merge')
  mission.git('merge', '--abort')
  expect(() => mission.git('rebase', 'agenc/work')).toThrow()
  expect((await ready(box, mission, { commit: 'x' })).refused).toContain('is in the middle of a rebase')
  mission.git('rebase', '--abort')
  mission.git('switch', '--quiet', '--detach')
  expect((await ready(box, mission)).refused).toContain('is on no branch (detached HEAD)')
  mission.git('switch', '--quiet', 'other')
  mission.write({ 'README.md': 'stashed\n' })
  mission.git('stash')
  mission.work({ 'README.md': 'more\n' })
  expect(() => mission.git('stash', 'pop')).toThrow()
  expect((await ready(box, mission, { commit: 'x' })).refused).toContain(
    'has unresolved conflicts in 1 file: README.md',
  )
})

test('a git that holds the index is waited for by the user, and nothing moves', async () => {
  const box = landingBox()
  const mission = await box.mission()
  const before = mission.git('rev-parse', 'HEAD')
  mission.write({ 'new.txt': 'x' })
  writeFileSync(join(mission.directory, '.git/index.lock'), '')
  const index = readFileSync(join(mission.directory, '.git/index'))
  expect((await ready(box, mission, { commit: 'x' })).refused).toContain(
    'another git is at work in the mission',
  )
  expect(mission.git('rev-parse', 'HEAD')).toBe(before)
  expect(readFileSync(join(mission.directory, '.git/index')).equals(index)).toBe(true)
})
