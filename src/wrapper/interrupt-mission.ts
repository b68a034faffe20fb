import type { Context } from '../context.ts'
import { openMessages } from '../db/messages.ts'
import { getMission } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { untilChange } from '../mission/followers.ts'
import { statusNow } from '../mission/mission-status.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { sendControlMessage } from './control-message.ts'

/** `next`: the turn has ended, and another one has begun with the messages that were queued. */
export type Interrupted = 'idle' | 'waiting' | 'interrupted' | 'next'

/** A view that was open takes the first Esc for itself. */
const attempts = 2
const attemptMs = 5_000

/** Ends the turn of a mission. Resolves when Claude is idle, or if there is nothing that may be interrupted. */
export async function interruptMission(
  context: Context,
  mission: MissionId,
  signal?: AbortSignal,
): Promise<Interrupted> {
  const paths = context.paths.mission(mission)
  const before = await untilChange(context, db => stateOf(context, db, mission), { signal })
  if (before === undefined || before.state !== 'busy') return before?.state === 'waiting' ? 'waiting' : 'idle'
  for (let attempt = 0; attempt < attempts; attempt++) {
    sendControlMessage(paths, { agenc: 'interrupt' })
    const outcome = await untilChange(
      context,
      db => {
        const { state, queued } = stateOf(context, db, mission)
        if (state === 'idle') return 'interrupted'
        if (state === 'waiting') return 'waiting'
        return queued < before.queued ? 'next' : undefined
      },
      { timeoutMs: attemptMs, signal },
    )
    if (outcome !== undefined) return outcome
  }
  throw new AgencError(
    `${shortId(mission)} is still busy`,
    `Look at it with 'agenc mission focus ${shortId(mission)}'.`,
  )
}

function stateOf(context: Context, db: Database | null, mission: MissionId) {
  const record = db ? getMission(db, mission) : undefined
  if (!record || statusNow(context, record) !== 'running')
    throw new AgencError(`${shortId(mission)} is not running`, "Run 'agenc mission ls' to see the missions.")
  return {
    state: record.state,
    queued: openMessages(db!, mission).filter(({ status }) => status === 'queued').length,
  }
}
