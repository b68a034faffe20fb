import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { type ProcessProbe, systemProbe } from '../system/process-identity.ts'
import { type ProcessTable, scanProcesses } from '../system/process-table.ts'

/**
 * The mission whose Claude has started this command, or null if a person has. The environment tells, unless the agent
 * has changed it: then the parents of this process do.
 */
export function callingMission(context: Context, missions: readonly MissionRecord[]): MissionRecord | null {
  const named = missions.find(({ id }) => id === context.env.AGENC_MISSION_UUID)
  if (named !== undefined) return named
  const running = missions.filter(({ wrapper_pid }) => wrapper_pid !== null)
  if (running.length === 0) return null
  const processes = scanProcesses(process.platform, context.exec)
  return missionAbove(process.ppid, running, processes, systemProbe(context.exec))
}

function missionAbove(
  start: number,
  running: readonly MissionRecord[],
  processes: ProcessTable,
  probe: ProcessProbe,
): MissionRecord | null {
  const visited = new Set<number>()
  for (let pid = start; pid > 1 && !visited.has(pid); pid = processes.get(pid)?.ppid ?? 0) {
    visited.add(pid)
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
