import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { WaitedJson } from '../../src/commands/mission/wait.ts'
import { withChanges } from '../../src/context.ts'
import type { MissionChange } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { endLease } from '../../src/mission/end-lease.ts'
import { missionService } from '../../src/mission/open-service.ts'
import { type Waited, type WaitOptions, waitForMissions } from '../../src/mission/wait-for.ts'
import { type MissionId, shortId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import { ownIdentity, systemProbe } from '../../src/system/process-identity.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { guardOf } from '../faults/mission-processes.ts'
import { agencScript, type Sandbox, sandbox } from '../helpers/cli.ts'
import { contextOf } from '../helpers/landing.ts'
import { storeMissions } from '../helpers/missions.ts'
import { waitFor } from '../helpers/wait.ts'
import { say, type WrapperBox, wrapperBox } from '../helpers/wrapper-box.ts'

const own = ownIdentity(systemProbe(systemRunner))

/** Missions that count as running, because this process has their leases. */
async function heldMissions(...changes: MissionChange[]) {
  const box = sandbox()
  const lease = { wrapper_pid: own.pid, wrapper_start: own.start, state: 'busy' as const }
  const ids = await storeMissions(
    box,
    changes.map(change => ({ ...lease, ...change })),
  )
  const { context } = contextOf(box)
  const db = await openStore(context.paths.database)
  onTestFinished(() => void db.close())
  const missions = missionService(context, db)
  let looks = 0
  const counting = withChanges(context, {
    now: () => {
      looks += 1
      return new Date()
    },
  })
  return {
    box,
    ids,
    missions,
    end: (id: MissionId) =>
      endLease({ db, missions }, id, own, { why: 'stopped', code: 0, signal: null }, {}),
    /** Waits in this process. */
    wait: (options: Partial<WaitOptions> = {}) =>
      waitForMissions(counting, ids, { until: 'idle', needs: 'all', ...options }),
    /** Makes a change, and waits until it was looked at. */
    async seen(change: () => unknown) {
      const before = looks
      change()
      await waitFor('a look at the change', () => looks > before)
    },
  }
}

const waits = (box: Sandbox, count = 1) =>
  waitFor('a waiter', () => {
    const { followers } = pathsAt(box.agencHome)
    return existsSync(followers) && readdirSync(followers).length === count
  })

describe('a mission is idle', () => {
  test('only if it neither waits for the user, nor has background tasks, messages or a first prompt', async () => {
    const { ids, missions, wait, seen } = await heldMissions({})
    const id = ids[0]!
    const settled: Waited[] = []
    const waited = wait({ onSettled: one => settled.push(one) })
    await seen(() => {})
    await seen(() => missions.change(id, { state: 'waiting', waiting_for: 'question' }))
    await seen(() => missions.change(id, { state: 'idle', waiting_for: null, background: 1 }))
    let message = 0
    const text = { mission_id: id, text: 'hello', sent_as: 'user', from_id: null } as const
    await seen(() =>
      missions.write(writer => {
        message = writer.addMessage({ ...text, is_command: 0, may_wait: 1 })
        writer.change(id, { background: 0 })
      }),
    )
    expect(settled).toEqual([])
    missions.write(writer => writer.changeMessage(id, message, ['kept'], { status: 'taken' }))
    expect(await waited).toMatchObject({ isTimeUp: false, missions: [{ isReached: true }] })
  })

  test('after its first prompt, not before it', async () => {
    const box = wrapperBox()
    box.run(['mission', 'new', '--blank', '--prompt', 'Go. [[delay 100]] [[text First answer.]]'])
    const { id } = await waitFor('the mission', () => box.records().find(({ wrapper_pid }) => wrapper_pid))
    const [waited] = (await waitIdle(box, id)).missions
    expect(waited).toMatchObject({ isReached: true, lastMessage: 'First answer.' })
  })
})

test('a request that a rule is about to answer does not wait for the user', async () => {
  const box = wrapperBox()
  const { id, terminal } = await box.mission('--permission-mode', 'default', '--approve', 'all')
  await say(terminal, 'Go. [[bash touch made]] [[text All done.]]')
  await box.until(id, 'waiting:permission')
  const any = waitForMissions(contextOf(box).context, [id as MissionId], { until: 'any', needs: 'all' })
  expect((await any).missions).toMatchObject([{ mission: { state: 'idle' }, lastMessage: 'All done.' }])
})

describe('agenc mission wait', () => {
  test('prints a line for each mission as it gets there, and exits with 0', async () => {
    const { box, ids, missions } = await heldMissions({ name: 'one' }, { name: 'two' })
    const [one, two] = ids
    const ran = box.agencAsync(['mission', 'wait', 'one', two!])
    await waits(box)
    missions.change(two!, { state: 'idle', last_message: 'I did\n\u001b[31mtwo' })
    missions.change(one!, { state: 'idle', last_message: null })
    const { exitCode, stdout, stderr } = await ran
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout.trim().split('\n').sort()).toEqual(
      [`${shortId(one!)} one  idle`, `${shortId(two!)} two  idle  I did two`].sort(),
    )
  })

  test('--any ends with the first, and --json has the missions with the whole message', async () => {
    const { box, ids, missions } = await heldMissions({}, {})
    const ran = box.agencAsync(['mission', 'wait', ...ids, '--any', '--until', 'waiting', '--json'])
    await waits(box)
    missions.change(ids[1]!, { state: 'waiting', waiting_for: 'plan' })
    const { exitCode, stdout } = await ran
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout) as WaitedJson[]).toMatchObject([
      { id: ids[0], reached: false, state: 'busy', last_message: null },
      { id: ids[1], reached: true, state: 'waiting', waiting_for: 'plan' },
    ])
  })

  test('exits with 1 and says so if a mission ends instead, or is deleted', async () => {
    const { box, ids, missions, end } = await heldMissions({}, {})
    const ran = box.agencAsync(['mission', 'wait', ...ids])
    await waits(box)
    end(ids[0]!)
    missions.write(writer => writer.remove(ids[1]!))
    const { exitCode, stdout, stderr } = await ran
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/stopped$/m)
    expect(stdout).toMatch(/deleted$/m)
    expect(stderr).toContain(`ended before they got idle: ${shortId(ids[0]!)} (stopped), ${shortId(ids[1]!)}`)
    expect(box.agenc(['mission', 'wait', ids[0]!])).toMatchObject({ exitCode: 1 })
    expect(box.agenc(['mission', 'wait', ids[0]!, '--until', 'end'])).toMatchObject({ exitCode: 0 })
    expect(box.agenc(['mission', 'wait', ids[0]!, '--until', 'any'])).toMatchObject({ exitCode: 0 })
  })

  test('exits with 124 if the time runs out, and with 130 after Ctrl-C, and leaves no FIFO', async () => {
    const { box, ids } = await heldMissions({})
    const late = box.agenc(['mission', 'wait', ids[0]!, '--timeout', '50ms'])
    expect(late).toMatchObject({ exitCode: 124, stdout: '' })
    expect(late.stderr).toContain(`the time ran out after 50ms: ${shortId(ids[0]!)} is busy`)
    const waiter = spawn(process.execPath, [agencScript, 'mission', 'wait', ids[0]!], { env: box.env })
    await waits(box)
    waiter.kill('SIGINT')
    expect(await once(waiter, 'exit')).toEqual([130, null])
    await waits(box, 0)
  })

  test('refuses what cannot be meant', async () => {
    const { box, ids } = await heldMissions({})
    const id = ids[0]!
    const refused = (...args: string[]) =>
      box.agenc(['mission', 'wait', ...args], { env: { AGENC_MISSION_UUID: id } })
    expect(refused()).toMatchObject({ exitCode: 64 })
    expect(refused(id, '--until', 'done')).toMatchObject({ exitCode: 64 })
    expect(refused(id, '--any', '--all')).toMatchObject({ exitCode: 64 })
    expect(refused(id, '--timeout', 'soon')).toMatchObject({ exitCode: 64 })
    expect(refused('.').stderr).toContain('the mission that this command runs in')
  })
})

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
  await waits(box)
  if (victims === 'wrapper and guard') process.kill(guardOf(wrapper_pid!), 'SIGKILL')
  process.kill(wrapper_pid!, 'SIGKILL')
  expect(await waited).toMatchObject({
    isTimeUp: false,
    missions: [{ isReached: false, mission: { status: 'crashed' } }],
  })
})
