import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { getMission } from '../db/missions.ts'
import { readStore } from '../db/with-store.ts'
import { AgencError } from '../errors.ts'
import { type MissionId, shortId } from '../mission-id.ts'
import { statusNow } from './mission-status.ts'

const pauseMs = 100

/** Waits while the wrapper of a new mission makes its working copy. Throws if nobody makes it. */
export async function awaitCopy(context: Context, id: MissionId): Promise<void> {
  for (;;) {
    const mission = await readStore(context, db => db && getMission(db, id))
    if (!mission || mission.copy_pending === null) return
    if (statusNow(context, mission) !== 'running')
      throw new AgencError(
        `the working copy of ${shortId(id)} is not there yet`,
        `It is made when the mission starts: agenc mission resume ${shortId(id)}`,
      )
    await pause(pauseMs)
  }
}
