import { realpathSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Context } from '../context.ts'
import { getMission, type MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { isMissionId } from '../mission-id.ts'

/** The mission whose directory a path is in, or null. */
export function missionAtPath(context: Context, db: Database, path: string): MissionRecord | null {
  const [id = ''] = relative(realPath(context.paths.missions), realPath(resolve(context.cwd, path))).split(
    '/',
  )
  return isMissionId(id) ? (getMission(db, id) ?? null) : null
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
