import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { claudeLocations } from '../claude/claude-locations.ts'
import { forgetDirectory } from '../claude/trust.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/mission-record.ts'
import { deleteMission, getMission } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import type { MissionId } from '../mission-id.ts'

/**
 * Moved out of sight first: an interrupted deletion leaves rubbish, never half a mission. `check` may throw; it sees
 * the mission at the last moment, in which nobody can start it.
 */
export async function removeMission(
  context: Context,
  db: Database,
  id: MissionId,
  check: (mission: MissionRecord) => void,
): Promise<void> {
  const { root, agent } = context.paths.mission(id)
  const rubbish = join(context.paths.missions, `.deleted-${id}`)
  await forgetDirectory(claudeLocations(context.env).globalConfig, agent)
  db.transaction(() => {
    const mission = getMission(db, id)
    if (mission) check(mission)
    deleteMission(db, id)
    if (existsSync(root)) renameSync(root, rubbish)
  }).immediate()
  rmSync(rubbish, { recursive: true, force: true })
}
