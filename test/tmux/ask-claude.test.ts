import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { prompts } from '../helpers/sending.ts'
import { sessionBox } from '../helpers/session.ts'
import { waitFor } from '../helpers/wait.ts'

/** The request names the files, so the stand-in finds its script in the name of one. */
const commits = '[[bash git add -A && git commit -qm done]]'
const others = "git fsck | grep 'dangling commit' | cut -d' ' -f3"
const ofUser = `${others} | git log --stdin --no-walk --format='%H %s' | grep 'of the user' | cut -d' ' -f1`
const merges = `[[bash git merge -qX ours $(${ofUser})]]`

test('--ask has the Claude of the mission commit and resolve; a review is sent to it', async () => {
  const box = sessionBox()
  const repo = box.addRepo('alpha')
  const source = join(box.root, 'sources', 'alpha')
  const git = (directory: string, ...args: string[]) =>
    execFileSync('git', args, {
      cwd: directory,
      env: box.env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const { id: window } = await box.start()
  const made = box.agenc(['mission', 'new', repo, '--approve', 'all'], { env: box.inside(window) })
  const id = made.stdout.trim()
  const { dir } = await box.waitForState(id, 'idle')

  writeFileSync(join(dir, commits), 'one\n')
  const refused = box.agenc(['mission', 'pull', id])
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--ask') })
  const pulled = await box.agencAsync(['mission', 'pull', id, '--ask', '--json'])
  expect(pulled).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('put that right') })
  expect(git(source, 'ls-tree', '--name-only', JSON.parse(pulled.stdout).branch)).toContain(commits)

  writeFileSync(join(dir, 'left'), 'two\n')
  const left = await box.agencAsync(['mission', 'pull', id, '--ask'])
  expect(left).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('after its Claude was asked') })
  expect(left.stderr).not.toContain('with --ask')
  rmSync(join(dir, 'left'))

  for (const [directory, text] of [
    [dir, 'of the mission\n'],
    [source, 'of the user\n'],
  ] as const) {
    writeFileSync(join(directory, merges), text)
    git(directory, 'add', '-A')
    git(directory, 'commit', '-qm', text)
  }
  expect(box.agenc(['mission', 'sync', id])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('conflicts with'),
  })
  const synced = await box.agencAsync(['mission', 'sync', id, '--ask'])
  expect(synced, synced.stderr).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('already has the newest'),
  })
  expect(git(dir, 'log', '--format=%s')).toContain('of the user')

  const editor = { EDITOR: "sed -i '1i Please rename it.'" }
  const review = await box.agencAsync(['mission', 'review', id, '--json'], { env: editor })
  expect(JSON.parse(review.stdout)).toMatchObject({ sent: { outcome: 'taken' }, path: expect.any(String) })
  await waitFor('the comment', () => prompts(box, id).some(text => text.includes('Please rename it.')))
})
