import { abandonRequests } from '../db/approvals.ts'
import { hasOpenRun } from '../db/events.ts'
import { leaseHolder, listHeldMissions, type MissionChange } from '../db/missions.ts'
import { type Database, setPatience } from '../db/open-store.ts'
import type { MissionId } from '../mission-id.ts'
import type { Paths } from '../paths.ts'
import type { ProcessIdentity } from '../system/process-identity.ts'
import type { HistoryEntry, MissionService, MissionWriter } from './service.ts'
import { endedColumns, type StoredEnding, unstoredEnding } from './wrapper-note.ts'

/** A lease needs the service to change the mission, and the database to close its open requests. */
export interface LeaseStore {
  db: Database
  missions: MissionService
}

/** Without a time, the run ends now. */
export type TimedEnding = StoredEnding & { at?: string }

/** Ends the lease of `holder`. Changes nothing and returns false if another process has taken it in the meantime. */
export function endLease(
  { db, missions }: LeaseStore,
  id: MissionId,
  holder: ProcessIdentity | null,
  { why, code, signal, at }: TimedEnding,
  also: MissionChange,
): boolean {
  return missions.write(writer => {
    const ended = { ...also, ...endedColumns({ why, code, signal }, at ?? writer.at) }
    if (ended.ended_by === 'user' && writer.get(id)?.ended_by === 'kill') ended.ended_by = 'kill'
    if (!writer.changeIfHeldBy(id, holder, ended, endedEntry({ why, code, signal }))) return false
    abandonRequests(db, id)
    return true
  })
}

/**
 * Records once that the wrapper of this mission was killed. The lease stays as it is: it shows that the mission crashed,
 * and that its Claude may still run.
 */
export function recordKill(db: Database, writer: MissionWriter, id: MissionId): void {
  if (hasOpenRun(db, id)) writer.change(id, {}, endedEntry({ why: 'lost', code: null, signal: null }))
}

function endedEntry({ why, code, signal }: StoredEnding): HistoryEntry {
  return ['ended', { why, code, signal }]
}

/** Stores the endings that could not be stored when they happened. Until that works, their notes are used instead. */
export function storeLateEndings(paths: Paths, store: LeaseStore): void {
  const late = listHeldMissions(store.db).flatMap(mission => {
    const ended = unstoredEnding(paths, mission)
    return ended === null ? [] : [{ mission, ended }]
  })
  if (late.length === 0) return
  setPatience(store.db, 0)
  try {
    // A note does not say whether an older Claude of the mission still runs, so its pid is kept.
    for (const { mission, ended } of late) endLease(store, mission.id, leaseHolder(mission), ended, {})
  } catch {
    // The store still cannot be written.
  } finally {
    setPatience(store.db)
  }
}
