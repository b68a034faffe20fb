import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { isGone } from '../mission/mission-status.ts'
import type { ProcessProbe } from '../system/process-identity.ts'
import { endTree } from '../system/process-tree.ts'

/** Ends the Claude that a killed wrapper may have left behind. Returns false if it may still be alive. */
export async function endOrphanedClaude(
  { exec, now }: Context,
  probe: ProcessProbe,
  mission: MissionRecord,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<boolean> {
  const { claude_pid: pid, claude_start: start } = mission
  if (pid === null || start === null) return true
  const claude = { pid, start }
  if (await endTree(exec, probe, claude, signal, graceMs)) return true
  return isGone(probe.liveness([claude])[0]!, mission, now())
}
