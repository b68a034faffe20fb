import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/mission-record.ts'
import { isGone } from '../mission/mission-status.ts'
import type { ProcessProbe } from '../system/process-identity.ts'
import { endTree } from '../system/process-tree.ts'

/** Ends the Claude that a killed wrapper may have left. false: it may still live. */
export async function endLeftoverClaude(
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
