import { existsSync } from 'node:fs'
import { claudeLocations } from '../claude/claude-locations.ts'
import { deleteConversation } from '../claude/transcript.ts'
import type { Context } from '../context.ts'
import { listEvents } from '../db/events.ts'
import { listMissions, listRemovedMissions, type MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { missionService } from '../mission/open-service.ts'
import { isMissionId } from '../mission-id.ts'
import { collectGarbage } from '../repo/collect-garbage.ts'
import { libraryPath } from '../repo/library.ts'
import { interruptible } from '../system/signals.ts'
import { forgetKeptWork } from './kept-work.ts'
import { missionRepo } from './mission-repo.ts'
import { hideMission } from './remove-mission.ts'

/**
 * Deletes a mission with all that was kept of it: its files, its checkpoints, its conversation and its record. The record
 * goes last, so that a purge that was killed can be run again.
 */
export async function purgeMission(
  context: Context,
  db: Database,
  mission: MissionRecord,
  check: (mission: MissionRecord) => void,
): Promise<void> {
  if (mission.removed_at === null) await hideMission(context, db, mission, check)
  const { directory } = claudeLocations(context.env)
  for (const session of ownSessions(db, mission)) deleteConversation(directory, session)
  if (mission.repo !== null) await forgetKeptWork(missionRepo(context, mission))
  missionService(context, db).write(writer => writer.remove(mission.id))
}

/** Without those that another mission has, or that a fork needs for its start. */
function ownSessions(db: Database, { id, session_id, forked_session_id }: MissionRecord): string[] {
  const earlier = listEvents(db, id).flatMap(({ kind, data }) =>
    kind === 'session' && typeof data.session_id === 'string' ? [data.session_id] : [],
  )
  const others = [...listMissions(db, { archived: true }), ...listRemovedMissions(db)].filter(
    other => other.id !== id,
  )
  const needed = new Set([
    forked_session_id,
    ...others.flatMap(other => [
      other.session_id,
      other.session_begun === 0 ? other.forked_session_id : null,
    ]),
  ])
  return [...new Set([id, session_id, ...earlier])].filter(
    session => isMissionId(session) && !needed.has(session),
  )
}

/** The objects of purged missions. Nothing may be recording another state in these repos if they are to go at once. */
export async function collectPurged(
  context: Context,
  repos: readonly (string | null)[],
  { isQuiet }: { isQuiet: boolean },
): Promise<void> {
  for (const repo of new Set(repos)) {
    const library = repo === null ? null : libraryPath(context.paths.repos, repo)
    if (library === null || !existsSync(library)) continue
    const expire = isQuiet ? 'now' : youngest
    await interruptible(signal => collectGarbage(context, library, { expire, signal }))
  }
}

/** Younger objects may belong to a snapshot whose refs are not written yet. */
export const youngest = '1.hour.ago'
