import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { systemContext, withChanges } from '../../../src/context.ts'
import { openStore } from '../../../src/db/open-store.ts'
import { makePrivateDirectory, namesIn } from '../../../src/io/files.ts'
import { missionService } from '../../../src/mission/open-service.ts'
import type { MissionService } from '../../../src/mission/service.ts'
import type { MissionId } from '../../../src/mission-id.ts'
import { systemRunner } from '../../../src/system/runner.ts'
import { isListening, WakeupFifo, wakeUp } from '../../../src/system/wakeup-fifo.ts'
import { agencScript, type Box, until } from '../box.ts'
import type { Case, Figure } from '../comparison.ts'
import { markRunning, storeMissions } from '../stored-missions.ts'
import { cpuMs } from './wrappers.ts'

/** How long a program gets to fall asleep before it is woken. */
const sleepMs = 300
/** How long programs rest before and while their CPU time is measured. V8 tidies its memory up for some seconds. */
const restMs = 10_000

/** Wakes a waiter by storing that its mission is idle. The floor wakes a Node script by a byte in a FIFO. */
export const wait: Case = {
  prepare: async box => {
    const ids = (await storeMissions(box, 100)).map(({ id }) => id)
    const id = ids[0]!
    await markRunning(box, new Map(ids.map(one => [one, process.pid])))
    const db = await openStore(box.paths.database)
    box.cleanup.add(() => void db.close())
    const missions = missionService(withChanges(systemContext(), { env: box.env, paths: box.paths }), db)
    const script = box.write('sleeper.cjs', sleeper)
    const fifo = `${box.root}/sleeper.fifo`
    execFileSync('mkfifo', [fifo])
    const { followers } = box.paths
    const figures = await figuresAtRest(box, missions, ids)
    return {
      figures: () => figures,
      subject: async () => {
        missions.change(id, { state: 'busy' })
        const waiter = start(box, agencScript, 'mission', 'wait', id)
        await until('the waiter follows', () => namesIn(followers).length === 1)
        return timeWakeup(waiter, () => missions.change(id, { state: 'idle' }))
      },
      floor: async () => {
        const reader = start(box, script, fifo)
        await until('the script listens', () => isListening(fifo))
        return timeWakeup(reader, () => wakeUp(fifo))
      },
    }
  },
}

/** What a waiter for all these missions, and a process that follows the events, cost while nothing happens. */
async function figuresAtRest(
  box: Box,
  missions: MissionService,
  ids: readonly MissionId[],
): Promise<Figure[]> {
  for (const id of ids) {
    missions.change(id, { state: 'busy' })
    makePrivateDirectory(box.paths.mission(id).run)
    new WakeupFifo(systemRunner, box.paths.mission(id).lifeSign).open()
  }
  const followers = [
    start(box, agencScript, 'mission', 'wait', ...ids),
    start(box, agencScript, 'events', '--follow', '--json'),
  ]
  await until('both follow', () => namesIn(box.paths.followers).length === followers.length)
  await pause(restMs)
  const spentMs = () => followers.reduce((sum, { pid }) => sum + cpuMs(pid!), 0)
  const beforeMs = spentMs()
  await pause(restMs)
  const value = (100 * (spentMs() - beforeMs)) / restMs
  for (const follower of followers) {
    follower.kill('SIGKILL')
    await once(follower, 'exit')
  }
  return [
    {
      label: 'waiting for 100 missions, and following their events',
      value,
      unit: '% of one core',
      atMost: 0.1,
    },
  ]
}

const sleeper = `
const { constants, openSync } = require('node:fs')
const { Socket } = require('node:net')
const fd = openSync(process.argv[2], constants.O_RDWR | constants.O_NONBLOCK)
new Socket({ fd, readable: true, writable: false }).on('data', () => process.exit(0))
`

function start(box: Box, ...args: string[]): ChildProcess {
  return spawn(process.execPath, args, { env: box.env, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** From just before the wake-up until the program has ended. */
async function timeWakeup(program: ChildProcess, wake: () => void): Promise<number> {
  await pause(sleepMs)
  const ended = once(program, 'exit')
  const beforeMs = performance.now()
  wake()
  const [code] = await ended
  if (code !== 0) throw new Error(`a program that was woken ended with ${code}`)
  return performance.now() - beforeMs
}
