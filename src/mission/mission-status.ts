import type { MissionRecord } from '../db/missions.ts'
import type { Liveness } from '../system/process-identity.ts'

export type Status = 'running' | 'stopped' | 'crashed' | 'archived'

export const heartbeatMs = 30_000
const missedBeats = 3

/** Who is asked whether it lives; null when nobody holds the mission. */
export function leaseHolder(mission: MissionRecord): { pid: number; start: string } | null {
  if (mission.wrapper_pid === null || mission.wrapper_start === null) return null
  return { pid: mission.wrapper_pid, start: mission.wrapper_start }
}

/** `wrapper` is what is known of the lease's holder, now. */
export function statusOf(mission: MissionRecord, wrapper: Liveness | null, now: Date): Status {
  if (wrapper !== null && !isGone(wrapper, mission, now)) return 'running'
  if (mission.archived_at !== null) return 'archived'
  if (wrapper !== null || mission.ended_by === 'lost') return 'crashed'
  return 'stopped'
}

/** Of a mission's wrapper, or of its Claude, which ends with it: in another container both are out of sight. */
export function isGone(liveness: Liveness, mission: MissionRecord, now: Date): boolean {
  return liveness === 'dead' || (liveness === 'unknown' && !beatsStill(mission, now))
}

/** A wrapper in another container cannot be seen, but its beats can. */
function beatsStill(mission: MissionRecord, now: Date): boolean {
  if (mission.heartbeat_at === null) return false
  return now.getTime() - Date.parse(mission.heartbeat_at) < heartbeatMs * missedBeats
}
