import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import type { MissionId } from '../../src/mission-id.ts'
import { pathsAt } from '../../src/paths.ts'
import { isAlive } from '../helpers/processes.ts'
import { type SessionBox, sessionBox } from '../helpers/session.ts'
import { smallDisk } from '../helpers/small-disk.ts'
import { waitFor } from '../helpers/wait.ts'

interface Obstacle {
  begin(): void
  end(): void
}

const obstacles = {
  'a full disk': (context: TestContext, box: SessionBox): Obstacle => {
    const disk = smallDisk(context, box.agencHome)
    return { begin: disk.fill, end: disk.free }
  },
  'a long lock': (_context: TestContext, box: SessionBox): Obstacle => {
    let db: Sqlite.Database | null = null
    const end = () => {
      db?.close()
      db = null
    }
    onTestFinished(end)
    const begin = () => {
      db = new Sqlite(join(box.agencHome, 'database.sqlite'))
      db.exec('BEGIN IMMEDIATE')
    }
    return { begin, end }
  },
}

const endings: [string, (box: SessionBox, window: string, mission: string) => unknown][] = [
  ['the user leaves Claude', (box, window) => box.tmux('send-keys', '-t', window, '/exit', 'Enter')],
  ['mission stop', (box, _window, mission) => box.agencAsync(['mission', 'stop', mission])],
  ['kill-window', (box, window) => box.tmux('kill-window', '-t', window)],
  ['tmux kill', box => box.agencAsync(['tmux', 'kill'])],
]

const cases = Object.keys(obstacles).flatMap(obstacle =>
  endings.map(([ending, act]) => [ending, obstacle as keyof typeof obstacles, act] as const),
)

test.for(cases)(
  '%s during %s: the mission is stopped, then and later',
  async ([, obstacle, act], context) => {
    const box = sessionBox()
    const store = obstacles[obstacle](context, box)
    const { id, mission } = await box.start()
    const { wrapper_pid, claude_pid } = box.mission(mission)
    store.begin()
    const done = act(box, id, mission)
    await waitFor('the end of Claude', () => !isAlive(claude_pid!))
    await box.waitForState(mission, 'stopped')
    await waitFor('the end of the wrapper', () => !isAlive(wrapper_pid!))
    await done
    const during = box.mission(mission)
    expect(during).toMatchObject({ status: 'stopped', state: null, last_exit: { at: expect.any(String) } })
    expect(box.agencJson(['tmux', 'restore'])).toEqual([])
    store.end()
    expect(box.mission(mission)).toEqual(during)
    expect(box.agencJson(['tmux', 'restore'])).toEqual([])
    const db = new Sqlite(join(box.agencHome, 'database.sqlite'), { readonly: true })
    const row = db.prepare('SELECT wrapper_pid, ended_by, exit_at FROM missions').get()
    const ended = db.prepare("SELECT count(*) FROM events WHERE kind = 'ended'").pluck().get()
    db.close()
    expect(row).toEqual({ wrapper_pid: null, ended_by: 'user', exit_at: during.last_exit!.at })
    expect(ended).toBe(1)
  },
)

test('an ending that can be written nowhere is kept in memory, and stored without a key', async context => {
  const box = sessionBox()
  const store = obstacles['a long lock'](context, box)
  const { id, mission } = await box.start()
  const note = pathsAt(box.agencHome).mission(mission as MissionId).wrapperNote
  rmSync(note)
  mkdirSync(note)
  store.begin()
  box.tmux('send-keys', '-t', id, '/exit', 'Enter')
  await waitFor('a message', () => box.tmux('capture-pane', '-p', '-t', id).includes('cannot be stored'))
  store.end()
  await box.waitForState(mission, 'stopped')
  await waitFor('the window to close', () => !box.agencJson<MissionJson[]>(['mission', 'ls'])[0]!.wrapper_pid)
  expect(box.agencJson(['tmux', 'restore'])).toEqual([])
})
