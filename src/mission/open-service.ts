import type { Context } from '../context.ts'
import type { Database } from '../db/open-store.ts'
import { MissionService } from './service.ts'
import { windowNames } from './window-name.ts'

/** The mission service for a command, with all subscribers that react to changes. */
export function missionService(context: Context, db: Database): MissionService {
  const missions = new MissionService(db, context.now)
  missions.subscribe(windowNames(context, missions))
  return missions
}
