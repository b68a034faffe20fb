import { join } from 'node:path'
import { test } from 'vitest'
import { findRealClaude, seedClaudeHome } from '../helpers/real-claude.ts'
import { sessionBox } from '../helpers/session.ts'
import { startStubApi } from '../helpers/stub-api.ts'
import { reviewAndSquash } from '../helpers/work-story.ts'

test('with the real Claude Code: new, work, diff, a comment in a review, fix, pull --squash, done', {
  timeout: 120_000,
}, async context => {
  const real = await findRealClaude()
  if ('missing' in real) return context.skip(real.missing)
  const api = await startStubApi()
  const box = sessionBox({ claude: real.path })
  const { env } = seedClaudeHome(box.home, [], api.baseUrl)
  Object.assign(box.env, env, { PATH: `${join(box.root, 'bin')}:${process.env.PATH}` })
  await reviewAndSquash(box)
})
