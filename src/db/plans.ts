import type { Database } from 'better-sqlite3'
import type { MissionId } from '../mission-id.ts'

/** Returns true if the plan was not linked to the mission before. */
export function linkPlan(db: Database, mission: MissionId, path: string, at: string): boolean {
  return (
    db.prepare('INSERT OR IGNORE INTO plans (mission_id, path, at) VALUES (?, ?, ?)').run(mission, path, at)
      .changes > 0
  )
}

/** Oldest first. */
export function listPlans(db: Database, mission: MissionId): string[] {
  return db
    .prepare<[MissionId], { path: string }>('SELECT path FROM plans WHERE mission_id = ? ORDER BY at, path')
    .all(mission)
    .map(({ path }) => path)
}

export function listAllPlans(db: Database): Map<MissionId, string[]> {
  const plans = new Map<MissionId, string[]>()
  const rows = db
    .prepare<[], { mission_id: MissionId; path: string }>(
      'SELECT mission_id, path FROM plans ORDER BY at, path',
    )
    .all()
  for (const { mission_id, path } of rows) plans.set(mission_id, [...(plans.get(mission_id) ?? []), path])
  return plans
}
