import { test } from 'vitest'
import { playOperatorStory } from '../helpers/operator-story.ts'
import { realWrapperBox } from '../helpers/real-session.ts'

test('a real Claude starts three missions, waits, reads, sends one back, lands two and stops them', {
  timeout: 120_000,
}, async ctx => {
  const real = await realWrapperBox()
  if ('missing' in real) return ctx.skip(real.missing)
  await playOperatorStory(real.box)
})
