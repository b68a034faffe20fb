import type { Database } from 'better-sqlite3'
import type { MissionId } from '../mission-id.ts'
import type { MissionRecord } from './mission-record.ts'

/** What a new mission is given; the rest starts empty. */
export type NewMission = Pick<
  MissionRecord,
  | 'id'
  | 'name'
  | 'repo'
  | 'parent_id'
  | 'created_at'
  | 'permission_mode'
  | 'approve'
  | 'model'
  | 'session_id'
  | 'forked_session_id'
  | 'setup_pending'
>

export function insertMission(db: Database, mission: NewMission): void {
  db.prepare(
    `INSERT INTO missions
       (id, name, repo, parent_id, created_at, last_active_at, permission_mode, approve, model,
        session_id, forked_session_id, setup_pending)
     VALUES
       (@id, @name, @repo, @parent_id, @created_at, @created_at, @permission_mode, @approve, @model,
        @session_id, @forked_session_id, @setup_pending)`,
  ).run(mission)
}

export function getMission(db: Database, id: MissionId): MissionRecord | undefined {
  return db.prepare<[MissionId], MissionRecord>('SELECT * FROM missions WHERE id = ?').get(id)
}

/** Newest activity first. All in one text: of a thousand missions, SQLite's JSON is read in a third of the time. */
export function listMissions(db: Database, { archived = false } = {}): MissionRecord[] {
  const columns = db.prepare<[], string>("SELECT name FROM pragma_table_info('missions')").pluck().all()
  const fields = columns.map(name => `'${name}', ${name}`)
  const where = archived ? '' : 'WHERE archived_at IS NULL'
  const listed = db.prepare<[], string>(
    `SELECT json_group_array(json_object(${fields}) ORDER BY last_active_at DESC, id) FROM missions ${where}`,
  )
  return JSON.parse(listed.pluck().get()!)
}

/** Those that a wrapper holds, or held when it was killed. */
export function listHeldMissions(db: Database): MissionRecord[] {
  return db.prepare<[], MissionRecord>('SELECT * FROM missions WHERE wrapper_pid IS NOT NULL').all()
}

export function missionsOnRepo(db: Database, repo: string): MissionRecord[] {
  return db
    .prepare<[string], MissionRecord>('SELECT * FROM missions WHERE repo = ? ORDER BY last_active_at DESC')
    .all(repo)
}

export function countMissionsByRepo(db: Database): Map<string, number> {
  const rows = db
    .prepare<[], { repo: string; missions: number }>(
      'SELECT repo, count(*) AS missions FROM missions WHERE repo IS NOT NULL GROUP BY repo',
    )
    .all()
  return new Map(rows.map(({ repo, missions }) => [repo, missions]))
}

export type MissionChange = Partial<Omit<MissionRecord, 'id' | 'created_at'>>

/** Sets the named columns and leaves the others as they are. */
export function updateMission(db: Database, id: MissionId, change: MissionChange): void {
  if (Object.keys(change).length === 0) return
  db.prepare(`UPDATE missions SET ${assignments(change)} WHERE id = @id`).run({ ...change, id })
}

/** The same, if this wrapper (null: none) holds it at that moment; false: another one does. */
export function updateIfHeldBy(
  db: Database,
  id: MissionId,
  holder: { pid: number; start: string } | null,
  change: MissionChange,
): boolean {
  const { changes } = db
    .prepare(
      `UPDATE missions SET ${assignments(change)}
       WHERE id = @id AND wrapper_pid IS @holder_pid AND wrapper_start IS @holder_start`,
    )
    .run({ ...change, id, holder_pid: holder?.pid ?? null, holder_start: holder?.start ?? null })
  return changes === 1
}

function assignments(change: MissionChange): string {
  return Object.keys(change)
    .map(column => `${column} = @${column}`)
    .join(', ')
}

export function deleteMission(db: Database, id: MissionId): void {
  db.prepare('DELETE FROM missions WHERE id = ?').run(id)
}
