import type { MissionRecord } from '../db/missions.ts'
import { markConflicts } from './conflict-marks.ts'
import type { MissionService } from './service.ts'

/** Returns the missions that were not already archived. */
export function archiveMissions(
  service: MissionService,
  missions: readonly MissionRecord[],
): MissionRecord[] {
  const fresh = missions.filter(({ archived_at }) => archived_at === null)
  service.write(writer => {
    for (const mission of fresh) {
      writer.change(mission.id, { archived_at: writer.at }, ['archived'])
      markConflicts(writer, mission, [])
    }
  })
  return fresh
}

export function unarchiveMissions(service: MissionService, missions: readonly MissionRecord[]): void {
  service.write(writer => {
    for (const { id } of missions) writer.change(id, { archived_at: null }, ['unarchived'])
  })
}

/** Archiving is the user's will, however the mission ended before: `restore` leaves it alone, also after `unarchive`. */
export function dismissEndings(service: MissionService, missions: readonly MissionRecord[]): void {
  service.write(writer => {
    for (const { id } of missions) writer.changeIfHeldBy(id, null, { ended_by: 'user' })
  })
}
