import type { MissionRecord } from '../db/missions.ts'
import type { ConflictJson } from './mission-json.ts'
import type { MissionWriter } from './service.ts'

/** A list of missions reads all of these, so a mission does not keep thousands of paths. */
const mostFiles = 100

/** Marks the mission, and the others that are found, as in conflict with each other. Older marks of both are replaced. */
export function markConflicts(
  writer: MissionWriter,
  mission: Pick<MissionRecord, 'id' | 'repo'>,
  found: readonly ConflictJson[],
): void {
  if (mission.repo === null) return
  for (const other of writer.onRepo(mission.repo)) {
    const files = found.find(conflict => conflict.with === other.id)?.files
    const own = other.id === mission.id
    const kept = own ? found : marksOf(other).filter(conflict => conflict.with !== mission.id)
    mark(writer, other, [...kept, ...(own || files === undefined ? [] : [{ with: mission.id, files }])])
  }
}

function mark(writer: MissionWriter, mission: MissionRecord, conflicts: readonly ConflictJson[]): void {
  const short = conflicts.map(conflict => ({ ...conflict, files: conflict.files.slice(0, mostFiles) }))
  const text = short.length === 0 ? null : JSON.stringify(short)
  if (text !== mission.conflicts) writer.change(mission.id, { conflicts: text })
}

function marksOf({ conflicts }: Pick<MissionRecord, 'conflicts'>): ConflictJson[] {
  return conflicts === null ? [] : JSON.parse(conflicts)
}
