import { expect, test } from 'vitest'
import { waitForMissions } from '../../src/mission/wait-for.ts'
import type { MissionId } from '../../src/mission-id.ts'
import { contextOf } from '../helpers/landing.ts'
import { realWrapperBox } from '../helpers/real-session.ts'
import { say } from '../helpers/wrapper-box.ts'

test('a waiter gets the last message of each turn of the real Claude', {
  timeout: 120_000,
}, async ctx => {
  const real = await realWrapperBox()
  if ('missing' in real) return ctx.skip(real.missing)
  const { box } = real
  const { id, terminal } = await box.mission()
  const waitIdle = async () => {
    const options = { until: 'idle', needs: 'all', timeoutMs: 30_000 } as const
    return (await waitForMissions(contextOf(box).context, [id as MissionId], options)).missions[0]!
  }
  for (const number of [1, 2, 3]) {
    await say(terminal, `Go. [[text Answer ${number}.]]`)
    await box.until(id, 'busy')
    expect(await waitIdle()).toMatchObject({ isReached: true, lastMessage: `Answer ${number}.` })
    await box.ready(id)
  }
})
