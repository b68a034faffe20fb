import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../src/db/open-store.ts'
import type { EventJson } from '../../src/mission/event-feed.ts'
import { feedEvents } from '../../src/mission/event-feed.ts'
import { missionService } from '../../src/mission/open-service.ts'
import { shortId } from '../../src/mission-id.ts'
import { agencScript, type Sandbox, sandbox } from '../helpers/cli.ts'
import { contextOf } from '../helpers/landing.ts'
import { storeMissions } from '../helpers/missions.ts'
import { tryKill, untilGone } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait.ts'
import { say, wrapperBox } from '../helpers/wrapper-box.ts'

async function eventsBox(...names: string[]) {
  const box = sandbox()
  const ids = await storeMissions(
    box,
    names.map(name => ({ name })),
  )
  const { context } = contextOf(box)
  const db = await openStore(context.paths.database)
  onTestFinished(() => void db.close())
  return { box, ids, context, missions: missionService(context, db) }
}

function eventsIn(box: Sandbox, ...args: string[]): EventJson[] {
  const { exitCode, stdout, stderr } = box.agenc(['events', '--json', ...args])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout.trim() === ''
    ? []
    : stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
}

/** A process that follows the events, and the events that it has printed so far. */
function follower(box: Sandbox, ...args: string[]) {
  const child = spawn(process.execPath, [agencScript, 'events', '--follow', '--json', ...args], {
    env: box.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const events: EventJson[] = []
  createInterface(child.stdout!).on('line', line => events.push(JSON.parse(line)))
  return { child, events, until: (count: number) => waitFor(`${count} events`, () => events.length >= count) }
}

describe('agenc events', () => {
  test('prints the missions as they are, and the number after which the changes begin', async () => {
    const { box, ids, missions } = await eventsBox('one', 'two')
    missions.change(ids[0]!, { name: 'first' }, ['renamed', { name: 'first' }])
    const snapshot = eventsIn(box)
    expect(snapshot).toMatchObject([
      { id: 1, mission_id: ids[0], kind: 'mission', data: { name: 'first', status: 'stopped' } },
      { id: 1, mission_id: ids[1], kind: 'mission', data: { name: 'two' } },
      { id: 1, mission_id: null, kind: 'snapshot', data: { missions: 2 } },
    ])
    expect(eventsIn(box, '--since', '1')).toEqual([])
    expect(eventsIn(box, '--mission', 'two').map(({ mission_id }) => mission_id)).toEqual([ids[1], null])
    expect(eventsIn(sandbox())).toMatchObject([{ id: 0, kind: 'snapshot', data: { missions: 0 } }])
  })

  test('has all events since a number in order, also the removals of missions that are gone', async () => {
    const { box, ids, missions } = await eventsBox('gone', 'kept')
    const [gone, kept] = ids
    missions.change(gone!, {}, ['state', { state: 'busy' }])
    missions.change(kept!, { archived_at: '2030-01-01T00:00:00.000Z' }, ['archived'])
    missions.write(writer => writer.remove(gone!))
    missions.change(kept!, { archived_at: null }, ['unarchived'])
    expect(
      eventsIn(box, '--since', '0').map(({ id, mission_id, kind, data }) => [id, mission_id, kind, data]),
    ).toEqual([
      [2, kept, 'archived', {}],
      [3, gone, 'removed', { for_good: true }],
      [4, kept, 'unarchived', {}],
    ])
    expect(eventsIn(box, '--since', '2', '--mission', gone!)).toMatchObject([{ id: 3, kind: 'removed' }])
  })

  test('refuses a number that is still to come, or is none', async () => {
    const { box } = await eventsBox('one')
    const late = box.agenc(['events', '--since', '7'])
    expect(late).toMatchObject({ exitCode: 1, stdout: '' })
    expect(late.stderr).toContain('there is no event 7: the newest is 0')
    for (const number of ['-1', '1.5', 'x', '99999999999999999999'])
      expect(box.agenc(['events', `--since=${number}`])).toMatchObject({ exitCode: 64 })
    expect(box.agenc(['events', '--mission', 'nobody'])).toMatchObject({ exitCode: 64 })
  })

  test('without --json prints a line per event that cannot act on the terminal', async () => {
    const { box, ids, missions } = await eventsBox('evil\u001b]0;title\u0007\nname')
    missions.change(ids[0]!, {}, ['question', { text: 'Which\n\u001b[2Jone?' }])
    expect(box.agenc(['events']).stdout).toMatch(
      new RegExp(`^1 +\\S+ \\S+  ${shortId(ids[0]!)}  mission +stopped +evil name\\n.*snapshot`),
    )
    expect(box.agenc(['events', '--since', '0']).stdout).toMatch(/question +text=Which one\?\n$/)
  })

  test('follows each change, of any process, and ends when its reader is gone', async () => {
    const { box, ids } = await eventsBox('one')
    const { child, events, until } = follower(box)
    await until(2)
    box.agenc(['mission', 'rename', ids[0]!, 'two'])
    await until(3)
    expect(events[2]).toMatchObject({ kind: 'renamed', data: { name: 'two' }, mission_id: ids[0] })
    expect(Object.keys(events[2]!).sort()).toEqual(['at', 'data', 'id', 'kind', 'mission_id'])
    child.stdout!.destroy()
    box.agenc(['mission', 'rename', ids[0]!, 'three'])
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  test('prints thousands of events in order, each once', async () => {
    const { box, ids, missions } = await eventsBox('one')
    missions.write(writer => {
      for (let count = 0; count < 2_000; count += 1) writer.change(ids[0]!, {}, ['state', { count }])
    })
    const counts = eventsIn(box, '--since', '0').map(({ data }) => data.count)
    expect(counts).toEqual(Array.from({ length: 2_000 }, (_, count) => count))
  })
})

test('Ctrl-C ends a follower with exit code 130, and leaves no FIFO', async () => {
  const { box, context } = await eventsBox('one')
  const { child } = follower(box)
  await waitFor('the follower', () => readdirSync(context.paths.followers).length === 1)
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([130, null])
  expect(readdirSync(context.paths.followers)).toEqual([])
})

test('a store that was replaced ends a follower with an error', async () => {
  const { ids, context, missions } = await eventsBox('one')
  missions.change(ids[0]!, {}, ['state'])
  const replaced = feedEvents(
    context,
    { mission: null, since: 1, follow: new AbortController().signal },
    () => true,
  )
  const other = await eventsBox('other')
  await waitFor('the follower', () => readdirSync(context.paths.followers).length === 1)
  context.paths.database = other.context.paths.database
  missions.change(ids[0]!, {}, ['state'])
  await expect(replaced).rejects.toThrow('the store has been replaced')
})

test('the history of a mission tells of its start, its requests, its turns and the kill of its wrapper', async () => {
  const box = wrapperBox()
  box.agenc(['config', 'set', 'approvals.delay_ms', '0'])
  const { events, until } = follower(box)
  await until(1)
  const { id, terminal } = await box.mission('--permission-mode', 'default', '--approve', 'all')
  await say(terminal, 'Go. [[bash touch made]] [[hang]]')
  await waitFor('the decision', () => events.some(({ kind }) => kind === 'decision'))
  const { wrapper_pid, claude_pid } = await box.until(id, 'busy')
  tryKill(wrapper_pid!, 'SIGKILL')
  await untilGone(claude_pid)
  await waitFor('the end', () => events.some(({ kind }) => kind === 'ended'))
  const all = events
    .slice(1)
    .map(({ kind, data }) => [kind, data.state ?? data.why].filter(Boolean).join(' '))
  expect(all.slice(0, 4)).toEqual(['created', 'started', 'state idle', 'state busy'])
  expect(all.at(-1)).toBe('ended lost')
  const request = expect.any(String)
  expect(events.filter(({ kind }) => kind === 'request' || kind === 'decision')).toMatchObject([
    { kind: 'request', data: { request, tool: 'Bash' } },
    { kind: 'decision', data: { request, decision: 'allow', by: 'rule' } },
  ])
  box.run(['mission', 'resume', id])
  await box.until(id, 'idle')
  expect(events.filter(({ kind }) => kind === 'ended')).toHaveLength(1)
})
