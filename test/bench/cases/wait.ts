import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { systemContext, withChanges } from '../../../src/context.ts'
import { openStore } from '../../../src/db/open-store.ts'
import { namesIn } from '../../../src/io/files.ts'
import { missionService } from '../../../src/mission/open-service.ts'
import { isListening, wakeUp } from '../../../src/system/wakeup-fifo.ts'
import { agencScript, type Box, until } from '../box.ts'
import type { Case } from '../comparison.ts'
import { markRunning, storeMissions } from '../stored-missions.ts'

/** How long a program gets to fall asleep before it is woken. */
const sleepMs = 300

/** Wakes a waiter by storing that its mission is idle. The floor wakes a Node script by a byte in a FIFO. */
export const wait: Case = {
  prepare: async box => {
    const [mission] = await storeMissions(box, 1)
    const { id } = mission!
    await markRunning(box, new Map([[id, process.pid]]))
    const db = await openStore(box.paths.database)
    box.cleanup.add(() => void db.close())
    const missions = missionService(withChanges(systemContext(), { env: box.env, paths: box.paths }), db)
    const script = box.write('sleeper.cjs', sleeper)
    const fifo = `${box.root}/sleeper.fifo`
    execFileSync('mkfifo', [fifo])
    const { followers } = box.paths
    return {
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
