import { existsSync } from 'node:fs'
import { type MissionRecord, missionsInDirectory } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { AgencError } from '../errors.ts'
import { cleanText } from '../io/text.ts'
import { shortId } from '../mission-id.ts'
import type { Paths } from '../paths.ts'
import { missionTitle } from './tell-done.ts'

/** Where a mission's Claude works: in the directory that the user gave it, or in a working copy of its own. */
export function missionDirectory(paths: Paths, { id, dir }: Pick<MissionRecord, 'id' | 'dir'>): string {
  return dir ?? paths.mission(id).agent
}

/** The directory to open a mission's window in. Until the working copy is there, its parent directory. */
export function startDirectory(paths: Paths, mission: Pick<MissionRecord, 'id' | 'dir'>): string {
  const directory = missionDirectory(paths, mission)
  return mission.dir !== null || existsSync(directory) ? directory : paths.mission(mission.id).root
}

/** Call it inside the transaction that stores a mission with this directory. */
export function refuseSharedDirectory(db: Database, dir: string): void {
  const [other] = missionsInDirectory(db, dir)
  if (other === undefined) return
  throw new AgencError(
    `${missionTitle(other)} already works in ${cleanText(dir)}`,
    [
      `Go to it with: agenc mission resume ${shortId(other.id)}`,
      'Two Claudes in one directory can overwrite the changes of each other. If you want that, add --force.',
    ].join('\n'),
  )
}
