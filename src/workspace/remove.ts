import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { claudeLocations } from '../claude/locations.ts'
import { forgetDirectory } from '../claude/trust.ts'
import type { Context } from '../context.ts'
import { deleteMission } from '../db/missions.ts'
import type { Database } from '../db/open.ts'
import type { MissionRecord } from '../mission/record.ts'

/** Moved out of sight first: an interrupted deletion leaves rubbish, never half a mission. */
export async function removeMission(context: Context, db: Database, mission: MissionRecord): Promise<void> {
  const { root, agent } = context.paths.mission(mission.id)
  const rubbish = join(context.paths.missions, `.deleted-${mission.id}`)
  await forgetDirectory(claudeLocations(context.env).globalConfig, agent)
  if (existsSync(root)) renameSync(root, rubbish)
  deleteMission(db, mission.id)
  rmSync(rubbish, { recursive: true, force: true })
}
