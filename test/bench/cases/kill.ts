import { isTaken } from '../../../src/process/identity.ts'
import { startMissions } from '../place/missions.ts'
import { endServer, openSession } from '../place/session.ts'
import { timeAgenc, until } from '../place/timing.ts'
import type { Case } from './case.ts'

const missions = 30

/** With real wrappers, outside the session, so that it returns when everything is over. */
export const kill: Case = {
  prepare: box => ({
    subject: async () => {
      const session = openSession(box)
      await startMissions(box, session, missions)
      const tookMs = timeAgenc(box, ['tmux', 'kill'])
      await until('the server is gone', () => !isTaken(session.serverPid))
      return tookMs
    },
    floor: async () => {
      const [mission] = await startMissions(box, openSession(box), 1)
      const tookMs = timeAgenc(box, ['mission', 'stop', mission!.id])
      await endServer(box)
      return tookMs
    },
  }),
}
