import { existsSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { MissionJson } from '../../src/mission/mission-json.ts'
import { unusedBlocks } from '../../src/system/port-block.ts'
import { writeProgram } from '../helpers/missions.ts'
import { type RecordsBox, recordsBox, storeMissions } from '../helpers/records.ts'
import { waitFor } from '../helpers/wait.ts'

/** A sandbox whose Claude writes its ports to a file and exits. */
function portsBox(): RecordsBox {
  const box = recordsBox()
  writeProgram(join(box.root, 'claude'), 'env | grep ^AGENC_PORT | sort >claude-ports\nexit 0')
  return box
}

/** Listens like a program of the user, and returns the port. */
async function busyPort(host: string): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, host, resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const portsSeen = (path: string) =>
  Object.fromEntries(
    readFileSync(path, 'utf8')
      .split('\n')
      .filter(line => line !== '')
      .map(line => line.split('=')),
  )

function expectSeen(path: string, [first, ...rest]: readonly number[]): void {
  expect(rest).toEqual(Array.from({ length: 9 }, (_, index) => first! + index + 1))
  const named = [first!, ...rest].map((port, index) => [`AGENC_PORT_${index}`, String(port)])
  expect(portsSeen(path)).toEqual({ AGENC_PORT: String(first), ...Object.fromEntries(named) })
}

const set = (box: RecordsBox, key: string, value: string | number) =>
  expect(box.agenc(['config', 'set', key, String(value)]).exitCode).toBe(0)

function change(box: RecordsBox, sql: string, ...values: unknown[]): void {
  const db = new Sqlite(join(box.agencHome, 'database.sqlite'))
  db.prepare(sql).run(...values)
  db.close()
}

test('a mission has ten ports of its own, in its setup and its Claude, and the same ones when it is resumed', async () => {
  const box = portsBox()
  box.agenc(['repo', 'trust', 'local/src/app'])
  set(box, 'repos.local/src/app.setup', 'env | grep ^AGENC_PORT | sort >setup-ports')
  const a = await box.create('local/src/app')
  const b = await box.create('--blank')
  expectSeen(join(a.dir, 'setup-ports'), a.ports)
  expectSeen(join(a.dir, 'claude-ports'), a.ports)
  expectSeen(join(b.dir, 'claude-ports'), b.ports)
  expect(a.ports.filter(port => b.ports.includes(port))).toEqual([])
  expect(box.agenc(['mission', 'show', a.id]).stdout).toMatch(
    new RegExp(`^ports +${a.ports[0]} to ${a.ports[9]}$`, 'm'),
  )
  rmSync(join(a.dir, 'claude-ports'))
  // The blocks below the mission's own are free now.
  expect(box.agenc(['mission', 'rm', b.id, '--yes', '--force']).exitCode).toBe(0)
  set(box, 'missions.port_base', 30_000)
  const terminal = box.terminal(['mission', 'resume', a.id])
  expect(await terminal.exited).toBe(0)
  expectSeen(join(a.dir, 'claude-ports'), a.ports)
})

test('the ports of a deleted mission can be given again', async () => {
  const box = portsBox()
  const a = await box.create('--blank')
  expect(box.agenc(['mission', 'rm', a.id, '--yes', '--force']).exitCode).toBe(0)
  expect((await box.create('--blank')).ports).toEqual(a.ports)
})

const loopback = Object.values(networkInterfaces())
  .flatMap(addresses => addresses ?? [])
  .filter(({ internal }) => internal)
  .map(({ address }) => address)

test.each(['127.0.0.1', '::1'].filter(host => loopback.includes(host)))(
  'a block with a port on which a program listens on %s is not given',
  async host => {
    const box = portsBox()
    const busy = await busyPort(host)
    set(box, 'missions.port_base', busy - 3)
    const { ports } = await box.create('--blank')
    expect(ports).toHaveLength(10)
    expect(ports[0]).toBeGreaterThan(busy)
  },
)

test('missions that start at the same time get different ports', async () => {
  const box = portsBox()
  const started = [1, 2, 3].map(() => box.terminal(['mission', 'new', '--blank']))
  await Promise.all(started.map(({ exited }) => exited))
  const missions = box.missions()
  const all = missions.flatMap(({ ports }) => ports)
  expect(all).toHaveLength(30)
  expect(new Set(all).size).toBe(30)
})

test('a mission of an older agenc gets its ports when it starts again', async () => {
  const box = portsBox()
  const { id, dir } = await box.create('--blank')
  change(box, 'UPDATE missions SET first_port = NULL')
  await box.terminal(['mission', 'resume', id]).exited
  expectSeen(join(dir, 'claude-ports'), box.agencJson<MissionJson>(['mission', 'show', id]).ports)
})

test('a mission whose ports went to another one while it was deleted gets others', async () => {
  const box = portsBox()
  const a = await box.create('--blank')
  change(box, "UPDATE missions SET removed_at = '2026-01-01T00:00:00.000Z'")
  const b = await box.create('--blank')
  expect(b.ports).toEqual(a.ports)
  change(box, 'UPDATE missions SET removed_at = NULL')
  await box.terminal(['mission', 'resume', a.id]).exited
  const again = box.agencJson<MissionJson>(['mission', 'show', a.id]).ports
  expect(again.filter(port => b.ports.includes(port))).toEqual([])
  expectSeen(join(a.dir, 'claude-ports'), again)
})

describe('if all ports are taken', () => {
  test('a mission starts without them, says so, and does not take those of the mission that started it', async () => {
    const box = portsBox()
    set(box, 'missions.port_base', 65_000)
    const blocks = [...unusedBlocks(65_000, () => [])]
    const others = await storeMissions(box, blocks.map(String))
    for (const [index, id] of others.entries())
      change(box, 'UPDATE missions SET first_port = ? WHERE id = ?', blocks[index], id)
    const terminal = box.terminal(['mission', 'new', '--blank'], {
      env: { AGENC_PORT: '20000', AGENC_PORT_0: '20000' },
    })
    await terminal.exited
    expect(terminal.raw()).toContain('no ten free ports from 65000 on')
    const mission = await waitFor('the mission', () => box.missions().find(({ repo }) => repo === null))
    expect(mission.ports).toEqual([])
    expect(existsSync(join(mission.dir, 'claude-ports'))).toBe(true)
    expect(portsSeen(join(mission.dir, 'claude-ports'))).toEqual({})
  })
})

test('blocks that were given with another port_base are not overlapped', () => {
  expect(unusedBlocks(20_000, () => [20_005, 20_030]).next().value).toBe(20_020)
  expect([...unusedBlocks(65_520, () => [])]).toEqual([65_520])
})
