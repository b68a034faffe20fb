import { expect, test } from 'vitest'
import { promptsIn } from '../helpers/headless.ts'
import { countTo, inLoops } from '../helpers/loops.ts'
import { realWrapperBox } from '../helpers/real-session.ts'

test('the real Claude works in a loop, until a subscriber has reached the limit', {
  timeout: 120_000,
}, async context => {
  const real = await realWrapperBox()
  if ('missing' in real) return context.skip(real.missing)
  const box = inLoops(real.box)
  const mission = await box.blank()
  const counted = await box.untilStatus(box.start(mission, 'Go on.', countTo(2)), 'succeeded')
  expect(counted.rounds.map(({ ended_by, exit }) => [ended_by, exit])).toEqual([
    ['turn', 1],
    ['turn', 1],
    ['turn', 0],
  ])
  expect(promptsIn(box, mission).length).toBe(3)

  Object.assign(box.env, {
    ANTHROPIC_API_KEY: '',
    CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-dummy-0123456789',
  })
  const limited = await box.untilStatus(box.start(mission, 'Go on. [[limit +7200]]', 'false'), 'limit')
  expect(limited.rounds).toMatchObject([{ n: 1, ended_by: 'limit', error: 'rate_limit' }])
  expect(Math.abs(Date.parse(limited.resets_at!) - Date.now() - 7_200_000)).toBeLessThan(60_000)
  expect(box.record(mission).resets_at).toBe(limited.resets_at)
})
