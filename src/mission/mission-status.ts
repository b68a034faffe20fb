import type { Context } from '../context.ts'
import { leaseHolder, type MissionRecord } from '../db/missions.ts'
import { type Liveness, systemProbe } from '../system/process-identity.ts'
import { withEnding } from './wrapper-note.ts'

export type Status = 'running' | 'stopped' | 'crashed' | 'archived'

export const heartbeatMs = 30_000
const missedBeats = 3

/** `wrapper` is the liveness of the process that holds the lease, or null if no process does. */
export function statusOf(mission: MissionRecord, wrapper: Liveness | null, now: Date): Status {
  if (wrapper !== null && !isGone(wrapper, mission, now)) return 'running'
  if (mission.archived_at !== null) return 'archived'
  if (wrapper !== null || mission.ended_by === 'lost') return 'crashed'
  return 'stopped'
}

/**
 * Takes the liveness of the wrapper or of its Claude. In another container both are invisible, so heartbeats decide.
 * If they cannot be read here, nothing is concluded from old heartbeats: Claude may live without its wrapper.
 */
export function isGone(liveness: Liveness, mission: MissionRecord, now: Date): boolean {
  return liveness === 'dead' || (liveness === 'unknown' && !beatsStill(mission, now))
}

/** A wrapper in another container is invisible, but its heartbeats are in the store. */
function beatsStill(mission: MissionRecord, now: Date): boolean {
  if (mission.heartbeat_at === null) return false
  return now.getTime() - Date.parse(mission.heartbeat_at) < heartbeatMs * missedBeats
}

/** Looks at the running processes only once for all missions. */
export function statusesOf(context: Context, stored: readonly MissionRecord[]): Status[] {
  const missions = stored.map(mission => withEnding(context.paths, mission))
  const holders = missions.map(leaseHolder)
  const held = holders.filter(holder => holder !== null)
  const answers = held.length > 0 ? systemProbe(context.exec).liveness(held) : []
  let next = 0
  const now = context.now()
  return missions.map((mission, index) => statusOf(mission, holders[index] ? answers[next++]! : null, now))
}

export function statusNow(context: Context, mission: MissionRecord): Status {
  return statusesOf(context, [mission])[0]!
}
