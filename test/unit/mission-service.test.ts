import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listEvents } from '../../src/db/events.ts'
import { updateMission } from '../../src/db/missions.ts'
import { openStore } from '../../src/db/open-store.ts'
import { listPlans } from '../../src/db/plans.ts'
import { type MissionChanged, MissionService } from '../../src/mission/service.ts'
import { newMissionId } from '../../src/mission-id.ts'
import { aMission } from '../helpers/a-mission.ts'
import { temporaryDirectory } from '../helpers/cli.ts'

const now = '2030-01-01T00:00:00.000Z'
const holder = { pid: 4711, start: 'boot:namespace:1' }

/** A service on a new store that has one mission. `heard` collects what a subscriber is told. */
async function bench() {
  const db = await openStore(join(temporaryDirectory(), 'database.sqlite'))
  onTestFinished(() => void db.close())
  const missions = new MissionService(db, () => new Date(now))
  const id = newMissionId()
  missions.write(writer => writer.insert(aMission({ id })))
  const heard: MissionChanged[] = []
  const unsubscribe = missions.subscribe(changed => void heard.push(changed))
  return {
    db,
    missions,
    id,
    heard,
    unsubscribe,
    mission: () => missions.get(id),
    history: () => listEvents(db, id).map(({ kind, data, at }) => ({ kind, data, at })),
  }
}

/** Makes every new line of history fail, so that a write fails halfway. */
const breakHistory =
  "CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'disk is full'); END"

describe('one write', () => {
  test('changes the row and adds to the history', async () => {
    const { missions, id, mission, history } = await bench()
    missions.change(id, { name: 'login' }, ['renamed', { name: 'login' }], ['noted'])
    expect(mission()?.name).toBe('login')
    expect(history()).toEqual([
      { kind: 'renamed', data: { name: 'login' }, at: now },
      { kind: 'noted', data: {}, at: now },
    ])
  })

  test('inserts a mission with its history, dated by the clock of the service', async () => {
    const { missions, db } = await bench()
    const mission = aMission({ created_at: '2020-01-01T00:00:00.000Z' })
    missions.write(writer => writer.insert(mission, ['created']))
    expect(missions.get(mission.id)).toMatchObject({ created_at: now, last_active_at: now })
    expect(listEvents(db, mission.id)).toMatchObject([{ kind: 'created', at: now }])
  })

  test('returns the result of the work', async () => {
    const { missions, id } = await bench()
    expect(missions.write(writer => writer.get(id)?.session_id)).toBe(id)
  })

  test('changes nothing and tells no subscriber if the history cannot be written', async () => {
    const { missions, db, id, mission, history, heard } = await bench()
    db.exec(breakHistory)
    expect(() => missions.change(id, { name: 'login' }, ['renamed'])).toThrow('disk is full')
    expect([mission()?.name, history(), heard]).toEqual([null, [], []])
  })

  test('takes back earlier changes, of other missions too, if the work throws', async () => {
    const { missions, id, mission, history, heard } = await bench()
    const other = aMission()
    const work = () =>
      missions.write(writer => {
        writer.insert(other, ['created'])
        writer.change(id, { name: 'login' }, ['renamed'])
        throw new Error('refused')
      })
    expect(work).toThrow('refused')
    expect(missions.get(other.id)).toBeUndefined()
    expect([mission()?.name, history(), heard]).toEqual([null, [], []])
  })
})

describe('subscribers', () => {
  test('hear once per mission, with the columns of all its changes merged', async () => {
    const { missions, id, heard } = await bench()
    const other = aMission()
    missions.write(writer => {
      writer.change(id, { name: 'first', state: 'busy' }, ['renamed', { name: 'first' }])
      writer.insert(other, ['created'])
      writer.change(id, { name: 'second' }, ['renamed', { name: 'second' }])
    })
    expect(heard).toEqual([
      {
        id,
        change: { name: 'second', state: 'busy' },
        history: [
          ['renamed', { name: 'first' }],
          ['renamed', { name: 'second' }],
        ],
        isRemoved: false,
      },
      { id: other.id, change: { ...other, created_at: now }, history: [['created']], isRemoved: false },
    ])
  })

  test('hear after the commit', async () => {
    const { missions, db, id, mission } = await bench()
    const seen: unknown[] = []
    missions.subscribe(() => seen.push([db.inTransaction, mission()?.name]))
    missions.change(id, { name: 'login' })
    expect(seen).toEqual([[false, 'login']])
  })

  test('hear nothing after they unsubscribe, while others still do', async () => {
    const { missions, id, heard, unsubscribe } = await bench()
    let others = 0
    missions.subscribe(() => {
      others += 1
    })
    missions.change(id, { name: 'first' })
    unsubscribe()
    missions.change(id, { name: 'second' })
    expect(heard.map(({ change }) => change.name)).toEqual(['first'])
    expect(others).toBe(2)
  })

  test('hear nothing of a write that changes no mission', async () => {
    const { missions, id, heard } = await bench()
    missions.write(writer => writer.get(id))
    expect(heard).toEqual([])
  })

  test('hear of a linked plan once', async () => {
    const { missions, db, id, heard, history } = await bench()
    for (let time = 0; time < 2; time++) missions.write(writer => writer.linkPlan(id, '/plans/a.md'))
    expect(listPlans(db, id)).toEqual(['/plans/a.md'])
    expect(history()).toMatchObject([{ kind: 'plan', data: { path: '/plans/a.md' } }])
    expect(heard).toMatchObject([{ id, change: {}, history: [['plan', { path: '/plans/a.md' }]] }])
  })

  test('hear that a mission was removed, and its history goes with it', async () => {
    const { missions, id, mission, history, heard } = await bench()
    missions.change(id, {}, ['noted'])
    heard.length = 0
    missions.write(writer => {
      writer.change(id, { name: 'login' })
      writer.remove(id)
    })
    expect([mission(), history()]).toEqual([undefined, []])
    expect(heard).toEqual([{ id, change: {}, history: [], isRemoved: true }])
  })

  test('that fail are reported, and neither the write nor the other subscribers fail', async () => {
    const { db, id, mission } = await bench()
    const warnings: string[] = []
    const missions = new MissionService(
      db,
      () => new Date(),
      message => void warnings.push(message),
    )
    const heard: string[] = []
    missions.subscribe(() => {
      throw new Error('out of luck')
    })
    missions.subscribe(({ change }) => void heard.push(String(change.name)))
    missions.change(id, { name: 'login' })
    expect([mission()?.name, heard]).toEqual(['login', ['login']])
    expect(warnings).toEqual([expect.stringContaining('out of luck')])
  })
})

describe('a change that depends on the lease', () => {
  const held = { wrapper_pid: holder.pid, wrapper_start: holder.start }

  test.each([
    ['its holder asks', held, holder, true],
    ['another process asks', held, { ...holder, pid: 1 }, false],
    ['a later process with the same pid asks', held, { ...holder, start: 'boot:namespace:2' }, false],
    ['it must be free but is held', held, null, false],
    ['it must be free and is', {}, null, true],
    ['it must be held but is free', {}, holder, false],
  ] as const)('when %s', async (_title, lease, asking, isDone) => {
    const { missions, db, id, mission, history, heard } = await bench()
    updateMission(db, id, lease)
    const change = { name: 'login' }
    const answer = missions.write(writer => writer.changeIfHeldBy(id, asking, change, ['renamed']))
    expect(answer).toBe(isDone)
    expect(mission()?.name).toBe(isDone ? 'login' : null)
    expect(history()).toHaveLength(isDone ? 1 : 0)
    expect(heard).toMatchObject(isDone ? [{ id, change, history: [['renamed']] }] : [])
  })
})
