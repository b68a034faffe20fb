import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { callerOf } from '../mission/calling-mission.ts'
import { refuseResumeByAgent } from '../mission/resume-by-agent.ts'
import { isChildOf } from '../mission/start-limits.ts'
import { shortId } from '../mission-id.ts'
import { isRunning } from './loop-mission.ts'

/** Throws if no loop may start or go on with this mission. */
export async function refuseLoop(context: Context, db: Database, mission: MissionRecord): Promise<void> {
  if (mission.archived_at !== null)
    throw new AgencError(
      `${shortId(mission.id)} is archived`,
      `Bring it back with: agenc mission unarchive ${shortId(mission.id)}`,
    )
  await refuseForeignAgent(context, db, mission)
}

/** The prompts of a loop are the user's word, so an agent gives them only to missions that it has started. */
async function refuseForeignAgent(context: Context, db: Database, mission: MissionRecord): Promise<void> {
  const agent = callerOf(context, db)
  if (agent !== null && !isChildOf(mission, agent))
    throw new AgencError(
      `mission ${shortId(agent.id)} has not started ${shortId(mission.id)}, so its Claude cannot run a loop there`,
      'Start a loop on a repo, or leave it to the user.',
    )
  await refuseResumeByAgent(context, db, mission, {
    isRunning: isRunning(context, mission),
    isPrompted: true,
  })
}
