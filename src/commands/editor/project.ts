import { realpathSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import type { Context } from '../../context.ts'
import type { MissionRecord } from '../../db/missions.ts'
import { getMission } from '../../db/missions.ts'
import type { Database } from '../../db/open-store.ts'
import { usageError } from '../../errors.ts'
import { isMissionId, type MissionId } from '../../mission-id.ts'

/** The mission a directory belongs to; where none is named, the current one's, else the one this runs in. */
export function missionOfDirectory(
  context: Context,
  db: Database | null,
  dir: string | undefined,
): MissionRecord {
  const place = resolve(context.cwd, dir ?? '.')
  const here = dir === undefined ? context.env.AGENC_MISSION_UUID : undefined
  const id = missionIdIn(context.paths.missions, place) ?? here
  const mission = db && id ? getMission(db, id as MissionId) : undefined
  if (mission) return mission
  throw usageError(
    `${place} is not a mission's directory`,
    "Name one: 'agenc mission show <mission>' says where a mission's is.",
  )
}

function missionIdIn(missions: string, place: string): MissionId | undefined {
  try {
    const [id] = relative(realpathSync(missions), realpathSync(place)).split(sep)
    return id && isMissionId(id) ? id : undefined
  } catch {
    return undefined
  }
}
