import type { Database } from 'better-sqlite3'
import type { MissionId } from '../mission-id.ts'

export interface MissionEvent {
  id: number
  mission_id: MissionId
  at: string
  kind: string
  data: Record<string, unknown>
}

/** Adds to the history of a mission. Events are never changed or deleted one by one. */
export function recordEvent(
  db: Database,
  mission: MissionId,
  at: string,
  kind: string,
  data: Record<string, unknown> = {},
): void {
  db.prepare('INSERT INTO events (mission_id, at, kind, data) VALUES (?, ?, ?, ?)').run(
    mission,
    at,
    kind,
    JSON.stringify(data),
  )
}

export function listEvents(db: Database, mission: MissionId): MissionEvent[] {
  return db
    .prepare<[MissionId], Omit<MissionEvent, 'data'> & { data: string }>(
      'SELECT * FROM events WHERE mission_id = ? ORDER BY id',
    )
    .all(mission)
    .map(row => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> }))
}
