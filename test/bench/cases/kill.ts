import { isTaken } from '../../../src/system/process-identity.ts'
import { endServer, openSession, startMissions } from '../bench-session.ts'
import { type Box, timeAgenc, until } from '../box.ts'
import type { Case } from '../comparison.ts'

const missions = 30

/** Runs outside the session, so that the command returns only when everything has ended. */
export const kill: Case = {
  prepare: box => ({ subject: () => killAll(box), floor: () => stopOne(box) }),
}

async function killAll(box: Box): Promise<number> {
  const session = openSession(box)
  await startMissions(box, session, missions)
  // `attach` does this too. Without it there would be no key bindings to restore.
  box.agenc(['tmux', 'inject-config'])
  const tookMs = timeAgenc(box, ['tmux', 'kill'])
  await until('the server has ended', () => !isTaken(session.serverPid))
  return tookMs
}

async function stopOne(box: Box): Promise<number> {
  const [mission] = await startMissions(box, openSession(box), 1)
  const tookMs = timeAgenc(box, ['mission', 'stop', mission!.id])
  await endServer(box)
  return tookMs
}
