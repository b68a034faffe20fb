import type { Context } from '../context.ts'
import { getMission, listHeldMissions, type MissionRecord } from '../db/missions.ts'
import type { Database } from '../db/open-store.ts'
import { isMissionId } from '../mission-id.ts'
import { type ProcessProbe, systemProbe } from '../system/process-identity.ts'
import { ancestorsOf } from '../system/process-table.ts'

/** The mission whose Claude has started this command, or null if a person has. */
export function callerOf(context: Context, db: Database): MissionRecord | null {
  const id = context.env.AGENC_MISSION_UUID
  const named = id !== undefined && isMissionId(id) ? getMission(db, id) : undefined
  return callingMission(context, [...listHeldMissions(db), ...(named ? [named] : [])])
}

/**
 * Like `callerOf`, among these missions. An agent can change its environment, but not the parents of its processes, so
 * these decide. A process that has left its parents behind, such as a loop, is known by its environment.
 */
export function callingMission(context: Context, missions: readonly MissionRecord[]): MissionRecord | null {
  const running = missions.filter(({ wrapper_pid }) => wrapper_pid !== null)
  const above = running.length === 0 ? null : missionAbove(context, running, systemProbe(context.exec))
  return above ?? missions.find(({ id }) => id === context.env.AGENC_MISSION_UUID) ?? null
}

function missionAbove(
  { exec }: Context,
  running: readonly MissionRecord[],
  probe: ProcessProbe,
): MissionRecord | null {
  for (const pid of ancestorsOf(process.ppid, process.platform, exec)) {
    const candidates = running.filter(
      ({ wrapper_pid, claude_pid }) => pid === wrapper_pid || pid === claude_pid,
    )
    const identity = candidates.length > 0 ? probe.identify(pid) : null
    const found = candidates.find(
      ({ wrapper_start, claude_start }) =>
        identity?.start === wrapper_start || identity?.start === claude_start,
    )
    if (found !== undefined) return found
  }
  return null
}
