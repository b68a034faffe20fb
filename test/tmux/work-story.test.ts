import { expect, test } from 'vitest'
import { fakeGh } from '../helpers/fake-gh.ts'
import { sessionBox } from '../helpers/session.ts'
import { commit, hasFinished, reviewAndSquash, startDay, work } from '../helpers/work-story.ts'

test('new, work, diff, a comment in a review, fix, pull --squash, done', () => reviewAndSquash(sessionBox()))

test('new, work, pr, a squash merge on the server, done', async () => {
  const box = sessionBox()
  const day = await startDay(box, 'acme/app')
  const { bench, mission } = day
  const gh = fakeGh(box)
  await work(day, 'Greet the moon.', commit('README.md', 'hello\\nmoon\\n'))
  await work(day, 'Greet the sun.', commit('SUN.md', 'sun\\n'))
  expect(box.agenc(['mission', 'pr', mission.id, '--draft'])).toMatchObject({
    exitCode: 0,
    stdout: 'https://github.com/acme/app/pull/12\n',
  })
  const branch = box.mission(mission.id).branch!
  expect(gh.calls().at(-1)).toMatchObject({
    args: expect.arrayContaining(['create', '--head', branch, '--base', 'main', '--draft']),
    body: expect.stringContaining('Finished: Greet the sun.'),
  })
  expect(box.agenc(['mission', 'ls']).stdout).toContain('#12')

  // As the server does: one commit with the work of the branch, and the branch is deleted.
  bench.git('checkout', 'fetch', '--quiet', 'origin')
  bench.git('checkout', 'merge', '--quiet', '--squash', `origin/${branch}`)
  bench.git('checkout', 'commit', '--quiet', '--message', 'Greet moon and sun (#12)')
  bench.git('checkout', 'push', '--quiet', 'origin', 'main', `:${branch}`)
  expect(bench.git('server/acme/app.git', 'branch', '--list')).toBe('* main')
  expect(box.agenc(['mission', 'done', mission.id, '--yes'])).toMatchObject({ exitCode: 0 })
  await hasFinished(day)
})
