import { setTimeout as sleep } from 'node:timers/promises'
import { startMissions } from '../place/missions.ts'
import { pssMib, requireProc, settledAfterMs, startIdleNodes, wrapperProcesses } from '../place/processes.ts'
import { openSession } from '../place/session.ts'
import type { Case } from './case.ts'

const running = 20

/** Each round looks at another wrapper, and at the idle script that was started beside it. */
export const memory: Case = {
  prepare: async box => {
    requireProc()
    const missions = await startMissions(box, openSession(box), running)
    const idle = startIdleNodes(box, running)
    await sleep(settledAfterMs)
    const sum = (pids: readonly number[]) => pids.map(pssMib).reduce((total, mib) => total + mib, 0)
    const turns = { subject: 0, floor: 0 }
    return {
      subject: async () => sum(wrapperProcesses(missions[turns.subject++ % running]!)),
      floor: async () => pssMib(idle[turns.floor++ % running]!),
    }
  },
}
