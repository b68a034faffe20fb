import type { Database } from 'better-sqlite3'
import type { MissionId } from '../mission-id.ts'

export interface MissionEvent {
  id: number
  mission_id: MissionId
  at: string
  kind: string
  data: Record<string, unknown>
}

/** Adds to the history of a mission. Events are never changed or deleted one by one. Returns the event's number. */
export function recordEvent(
  db: Database,
  mission: MissionId,
  at: string,
  kind: string,
  data: Record<string, unknown> = {},
): number {
  const { lastInsertRowid } = db
    .prepare('INSERT INTO events (mission_id, at, kind, data) VALUES (?, ?, ?, ?)')
    .run(mission, at, kind, JSON.stringify(data))
  return Number(lastInsertRowid)
}

/** Records that a mission is about to be deleted. This outlives the mission, and its number is that of an event. */
export function recordRemoval(db: Database, mission: MissionId, at: string): void {
  const event = recordEvent(db, mission, at, 'removed')
  db.prepare('INSERT INTO removals (event_id, mission_id, at) VALUES (?, ?, ?)').run(event, mission, at)
}

/** Whether the history of the mission says that a run has begun, and not that it has ended. */
export function hasOpenRun(db: Database, mission: MissionId): boolean {
  const last = db
    .prepare<[MissionId], string>(
      "SELECT kind FROM events WHERE mission_id = ? AND kind IN ('started', 'ended') ORDER BY id DESC LIMIT 1",
    )
    .pluck()
    .get(mission)
  return last === 'started'
}

/** The number of the newest event, also if its mission has been deleted since. */
export function newestEvent(db: Database): number {
  return db.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'events'").pluck().get() ?? 0
}

/** The next events after this number, oldest first. Of a mission that was deleted for good, only its removal is left. */
export function eventsAfter(
  db: Database,
  after: number,
  { mission = null, most }: { mission?: MissionId | null; most: number },
): MissionEvent[] {
  return db
    .prepare<object, StoredEvent>(
      `SELECT id, mission_id, at, kind, data FROM events
       WHERE id > @after AND (@mission IS NULL OR mission_id = @mission)
       UNION ALL
       SELECT event_id, mission_id, at, 'removed', '{"for_good":true}' FROM removals
       WHERE event_id > @after AND (@mission IS NULL OR mission_id = @mission)
       ORDER BY 1 LIMIT @most`,
    )
    .all({ after, mission, most })
    .map(parsed)
}

/** Whether the mission was deleted for good. */
export function wasRemoved(db: Database, mission: MissionId): boolean {
  return db.prepare('SELECT 1 FROM removals WHERE mission_id = ?').get(mission) !== undefined
}

type StoredEvent = Omit<MissionEvent, 'data'> & { data: string }

function parsed(row: StoredEvent): MissionEvent {
  return { ...row, data: JSON.parse(row.data) as Record<string, unknown> }
}

export function listEvents(db: Database, mission: MissionId): MissionEvent[] {
  return db
    .prepare<[MissionId], StoredEvent>('SELECT * FROM events WHERE mission_id = ? ORDER BY id')
    .all(mission)
    .map(parsed)
}
