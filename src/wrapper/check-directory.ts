import { existsSync } from 'node:fs'
import { listHeldMissions, type MissionRecord } from '../db/missions.ts'
import { AgencError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import { statusNow } from '../mission/mission-status.ts'
import { missionTitle } from '../mission/tell-done.ts'
import { shortId } from '../mission-id.ts'
import type { Run } from './run-mission.ts'

/** For a mission in a directory of the user: throws if that is gone, and says which other missions run there. */
export function checkGivenDirectory({ context, db }: Run, { id, dir }: MissionRecord): void {
  if (dir === null) return
  if (!existsSync(dir))
    throw new AgencError(
      `the directory of this mission is gone: ${cleanText(dir)}`,
      `Restore it, then resume the mission; or delete the mission with: agenc mission rm ${shortId(id)}`,
    )
  const others = listHeldMissions(db).filter(other => other.dir === dir && other.id !== id)
  for (const other of others)
    if (statusNow(context, other) === 'running')
      context.err.line(`agenc: ${missionTitle(other)} runs in the same directory`)
}
