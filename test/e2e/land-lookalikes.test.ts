import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type LandingBox, type LandingMission, landingBox, server } from '../helpers/landing.ts'

const rm = (mission: LandingMission) => mission.agenc('rm', '--yes')

/** Someone else's commits on the server, beside the mission's. */
function theirs(box: LandingBox, change: (directory: string) => void): void {
  box.git('.', 'clone', '--quiet', server, 'colleague')
  change('colleague')
  box.git('colleague', 'push', '--quiet', 'origin', 'main')
}

function squash(box: LandingBox, mission: LandingMission): void {
  box.git('colleague', 'fetch', '--quiet', mission.directory, mission.branch)
  box.git('colleague', 'merge', '--quiet', '--squash', 'FETCH_HEAD')
  box.git('colleague', 'commit', '--quiet', '-m', 'Squashed')
}

const latin1 = (directory: string, text: string) =>
  writeFileSync(join(directory, 'a.txt'), Buffer.from(text, 'latin1'))

test.each([
  [
    'in their white space',
    (directory: string, isMine: boolean) =>
      writeFileSync(join(directory, 'a.py'), isMine ? 'if x:\n  y\n  z\n' : 'if x:\n  y\nz\n'),
  ],
  [
    'in bytes that are no text',
    (directory: string, isMine: boolean) => latin1(directory, isMine ? 'a\nx\xe9\n' : 'a\nx\xe8\n'),
  ],
  [
    'in the mode of a file',
    (directory: string, isMine: boolean) => {
      latin1(directory, 'b\n')
      chmodSync(join(directory, 'a.txt'), isMine ? 0o755 : 0o644)
    },
  ],
])('commits that differ only %s are not the same', async (_, change) => {
  const box = landingBox({ files: { 'a.py': 'if x:\n  y\n', 'a.txt': 'a\n' } })
  const mission = await box.mission()
  change(mission.directory, true)
  mission.work({})
  theirs(box, directory => {
    change(join(box.root, directory), false)
    box.commit(directory, {})
  })
  expect(rm(mission).stderr).toContain('1 unpushed commit on agenc/work')
})

test("the user's settings for diffs do not hide a squash, nor do their merge drivers pretend one", async () => {
  const lines = (second: string) => `1\n${second}\n3\n4\n5\n6\n7\n8\n9\n`
  const box = landingBox({ files: { 'lib.txt': lines('2'), 'a.lock': 'a\n' } })
  writeFileSync(join(box.root, 'attributes'), '*.lock merge=ours\n')
  writeFileSync(
    join(box.env.HOME!, '.gitconfig'),
    `[diff]\nnoprefix = true\ncontext = 9\n[core]\nattributesFile = ${box.root}/attributes\n[merge "ours"]\ndriver = true\n`,
  )
  const [squashed, other] = [await box.mission({ branch: 'one' }), await box.mission({ branch: 'two' })]
  squashed.work({ 'lib.txt': lines('TWO') })
  squashed.work({ 'new.txt': 'x\n' })
  other.work({ 'a.lock': 'mine\n' })
  theirs(box, directory => {
    squash(box, squashed)
    box.commit(directory, { 'lib.txt': 'all is different\n', 'a.lock': 'theirs\n' })
  })
  expect(rm(squashed)).toMatchObject({ exitCode: 0, stderr: '' })
  expect(rm(other).stderr).toContain('1 unpushed commit on two')
})

test('work that was taken back exists only there; after a squash and a merge of the base it has arrived', async () => {
  const box = landingBox()
  const undone = await box.mission({ branch: 'undone' })
  undone.work({ 'a.txt': 'an experiment\n' })
  undone.git('revert', '--no-edit', 'HEAD')
  expect(rm(undone).stderr).toContain('2 unpushed commits on undone')

  const mission = await box.mission()
  mission.work({ 'a.txt': 'a\n' })
  mission.work({ 'a.txt': 'b\n' })
  theirs(box, () => squash(box, mission))
  expect(mission.agenc('sync').exitCode).toBe(0)
  expect(rm(mission)).toMatchObject({ exitCode: 0, stderr: '' })
})

test('a commit without changes has nothing to lose', async () => {
  const box = landingBox()
  const mission = await box.mission()
  mission.work({}, 'nothing')
  expect(rm(mission)).toMatchObject({ exitCode: 0, stderr: '' })
})

test('a copy that goes with the directory is none: its own worktrees, repos inside of it, and remotes there', async () => {
  const box = landingBox()
  const mission = await box.mission()
  mission.work({ 'a.txt': 'a\n', '.gitignore': 'inside\n' })
  mission.git('worktree', 'add', '--quiet', join(box.root, 'beside'), '-b', 'other', 'main')
  mission.git('clone', '--quiet', '--bare', box.library, 'inside')
  for (const place of [join(box.root, 'beside'), join(mission.directory, 'inside')]) {
    const pulled = mission.agenc('pull', '--into', place)
    expect([pulled.exitCode, pulled.stderr]).toEqual([64, expect.stringContaining('or goes with it')])
  }
  box.agenc(['config', 'set', `repos.${box.repo}.checkout`, join(box.root, 'beside')])
  mission.git('remote', 'add', 'near', './inside')
  mission.git('push', '--quiet', 'near', 'agenc/work')
  expect(rm(mission).stderr).toContain('1 unpushed commit on agenc/work')
})

test('a history that the mission only pretends to have is not believed', async () => {
  const box = landingBox()
  const mission = await box.mission()
  const commit = mission.work({ 'a.txt': 'a\n' })
  const main = mission.git('rev-parse', 'main')
  mission.git('replace', '--graft', 'main', commit)
  expect(rm(mission).stderr).toContain('1 unpushed commit on agenc/work')
  mission.git('replace', '--delete', main)
  writeFileSync(join(mission.directory, '.git/info/grafts'), `${main} ${commit}\n`)
  expect(rm(mission).stderr).toContain('1 unpushed commit on agenc/work')
})
