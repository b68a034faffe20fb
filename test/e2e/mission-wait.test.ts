import { readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { waitForMissions } from '../../src/mission/wait-for.ts'
import type { MissionId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import { guardOf } from '../faults/mission-processes.ts'
import { contextOf } from '../helpers/landing.ts'
import { say, type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

const waitIdle = (box: WrapperBox, id: string) =>
  waitForMissions(contextOf(box).context, [id as MissionId], { until: 'idle', needs: 'all' })

test('a waiter gets the whole last message, of a turn that ended and of one that was interrupted', async () => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission()
  const long = 'token ghp_0123456789abcdefghijklmnopqrstuvwxyz '.repeat(50).trim()
  await say(terminal, `Go. [[text ${long}]]`)
  await box.until(id, 'busy')
  const { missions } = await waitIdle(box, id)
  expect(missions).toMatchObject([{ isReached: true, lastMessage: long, mission: { state: 'idle' } }])
  expect(missions[0]!.mission.last_message).not.toContain('ghp_')
  const { lastMessage } = pathsAt(box.agencHome).mission(id as MissionId)
  expect(readFileSync(lastMessage, 'utf8')).toBe(long)
  expect(statSync(lastMessage).mode & 0o777).toBe(0o600)

  await say(terminal, 'Think. [[text Let me look.]]+[[tool Read {"file_path":"a"}]] [[hang]]')
  await box.until(id, 'busy')
  await terminal.waitForText('Let me look.')
  const interrupted = waitIdle(box, id)
  terminal.type('\u001b')
  expect((await interrupted).missions[0]!.lastMessage).toBe('Let me look.')
})

test.each(['the wrapper', 'wrapper and guard'])('kill -9 of %s wakes a waiter', async victims => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission()
  await say(terminal, 'Go. [[hang]]')
  const { wrapper_pid } = await box.until(id, 'busy')
  const waited = waitIdle(box, id)
  if (victims === 'wrapper and guard') process.kill(guardOf(wrapper_pid!), 'SIGKILL')
  process.kill(wrapper_pid!, 'SIGKILL')
  expect(await waited).toMatchObject({
    isTimeUp: false,
    missions: [{ isReached: false, mission: { status: 'crashed' } }],
  })
})
