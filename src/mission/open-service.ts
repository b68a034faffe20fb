import type { Context } from '../context.ts'
import type { Database } from '../db/open-store.ts'
import { storeLateEndings } from './end-lease.ts'
import { wakeFollowersOf } from './followers.ts'
import { recordFiles } from './record-file.ts'
import { MissionService } from './service.ts'
import { windowNames } from './window-name.ts'

/**
 * The mission service of any process, with everyone subscribed who wants to hear of changes. A new subscriber is one line
 * here. `warn` must not write to the terminal while Claude has it.
 */
export function missionService(
  context: Context,
  db: Database,
  warn = (message: string) => context.err.line(`agenc: ${message}`),
): MissionService {
  const missions = new MissionService(db, context.now, warn)
  missions.subscribe(windowNames(context, missions, warn))
  missions.subscribe(recordFiles(context.paths, missions))
  missions.subscribe(wakeFollowersOf(context.paths))
  storeLateEndings(context.paths, { db, missions })
  return missions
}
