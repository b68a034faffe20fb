import { expect, test } from 'vitest'
import { waitFor } from '../helpers/wait.ts'
import { say, wrapperBox } from '../helpers/wrapper-box.ts'

test('a mission tells when the usage limit ends, until a turn succeeds', async () => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission()
  const before = Date.now()
  await say(terminal, 'Work. [[limit +3600]]')
  const { resets_at } = await waitFor('the end of the limit', () => {
    const record = box.record(id)
    return record.resets_at === null ? undefined : record
  })
  expect(Math.abs(Date.parse(resets_at!) - before - 3_600_000)).toBeLessThan(10_000)
  expect(box.agencJson<{ resets_at: string }[]>(['mission', 'ls'])[0]!.resets_at).toBe(resets_at)
  expect(box.history(id)).toContainEqual({ kind: 'turn-failed', data: { failure: 'rate_limit' } })
  await box.turn(id, terminal, 'Again. [[text Done.]]')
  await waitFor('no limit', () => box.record(id).resets_at === null)
})

test('a request that the API rejects for its rate has no end', async () => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission()
  await say(terminal, 'Work. [[error 429 slow down]]')
  await waitFor('the failure', () => box.history(id).some(({ kind }) => kind === 'turn-failed'))
  await box.turn(id, terminal, 'Again. [[text Done.]]')
  expect(box.history(id).filter(({ kind }) => kind === 'limit')).toEqual([])
})
