import type { MissionRecord } from '../db/missions.ts'

/** The variables of a mission's window. `parent` is the window to return to when the mission ends. */
export function wrapperEnvironment(
  { id }: Pick<MissionRecord, 'id'>,
  parent: string | null,
): Record<string, string> {
  return { AGENC_MISSION_UUID: id, ...(parent === null ? {} : { AGENC_PARENT_WINDOW: parent }) }
}
