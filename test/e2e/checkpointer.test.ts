import { afterEach, expect, test, vi } from 'vitest'
import { readConfig } from '../../src/config/read.ts'
import type { Context } from '../../src/context.ts'
import type { MissionRecord, State } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { MissionService } from '../../src/mission/service.ts'
import { pathsAt } from '../../src/paths.ts'
import { systemRunner } from '../../src/system/runner.ts'
import { Checkpointer } from '../../src/wrapper/checkpointer.ts'
import { CurrentSettings } from '../../src/wrapper/current-settings.ts'
import { waitFor } from '../helpers/wait.ts'
import { type WorkBox, workBox } from '../helpers/work-missions.ts'

afterEach(() => void vi.useRealTimers())

async function checkpointed(box: WorkBox, tookMs: number) {
  box.bench.repo('source')
  const repo = box.add('./source')
  const mission = await box.mission(repo, 'm')
  const paths = pathsAt(box.agencHome)
  const db = await openStore(paths.database)
  const missions = new MissionService(db, () => new Date())
  const turns: unknown[] = []
  missions.subscribe(({ history }) => turns.push(...history.map(([, data]) => data?.turn)))
  const exec = {
    ...systemRunner,
    start: (...args: Parameters<typeof systemRunner.start>) => {
      if (tookMs > 0 && args[1].includes('pack-objects')) vi.advanceTimersByTime(tookMs)
      return systemRunner.start(...args)
    },
  }
  const context = { exec, env: box.env, paths, now: () => new Date() } as unknown as Context
  const problems: string[] = []
  const record = () => missions.get(mission.id) as MissionRecord
  const settings = new CurrentSettings(paths, await readConfig(paths))
  const checkpointer = new Checkpointer(context, missions, record, settings, text => problems.push(text))
  const become = (state: State) =>
    checkpointer.onChanged({ id: mission.id, change: { state }, history: [], isRemoved: false })
  const turn = (text: string) => {
    become('busy')
    mission.write({ file: text })
    become('idle')
  }
  return { db, repo, record, turns, turn, become, problems, checkpointer }
}

test('a repo where a checkpoint takes over 2 s gets one per minute, and the last state is recorded', async () => {
  const box = workBox()
  const { db, turns, turn, become, problems, checkpointer } = await checkpointed(box, 2_500)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const settle = (count: number) =>
    vi.waitFor(() => expect(turns).toHaveLength(count), { timeout: 20_000, interval: 10 })
  become('idle')
  turn('one')
  await settle(1)
  turn('two')
  turn('three')
  vi.advanceTimersByTime(50_000)
  become('busy')
  vi.advanceTimersByTime(10_000)
  expect(turns).toEqual([1])
  become('idle')
  await settle(2)
  expect(problems).toEqual([])
  await checkpointer.close({ isHurried: false })
  vi.useRealTimers()
  await waitFor('everything to be stored', () => turns.length === 2)
  db.close()
})

test('a fast repo gets one after each turn; the start of Claude is not a turn', async () => {
  const box = workBox()
  const { db, turns, turn, become, checkpointer } = await checkpointed(box, 0)
  become('starting')
  become('idle')
  turn('one')
  await waitFor('the first', () => turns.length === 1)
  turn('two')
  await waitFor('the second', () => turns.length === 2)
  expect(turns).toEqual([1, 2])
  await checkpointer.close({ isHurried: true })
  db.close()
})

test('after a turn, missions that would conflict are marked', async () => {
  const box = workBox()
  const { db, repo, record, turn, become, problems, checkpointer } = await checkpointed(box, 0)
  const other = await box.mission(repo, 'other')
  other.commit({ file: 'other' })
  expect(box.agencJson(['mission', 'conflicts'])).toEqual([])
  become('idle')
  turn('one')
  await waitFor('the mark', () => record().conflicts !== null)
  expect(JSON.parse(record().conflicts!)).toEqual([{ with: other.id, files: ['file'] }])
  expect(box.agenc(['mission', 'show', 'other']).stdout).toMatch(/^conflict +with .{8}: file$/m)
  turn('other')
  await waitFor('the mark to go', () => record().conflicts === null)
  expect(problems).toEqual([])
  await checkpointer.close({ isHurried: false })
  db.close()
})
