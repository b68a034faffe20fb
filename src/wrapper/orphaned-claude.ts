import { leftTools } from '../claude/left-tools.ts'
import type { Context } from '../context.ts'
import type { MissionRecord } from '../db/missions.ts'
import { isGone } from '../mission/mission-status.ts'
import type { ProcessProbe } from '../system/process-identity.ts'
import { endProcesses, endTree } from '../system/process-tree.ts'

/** How long tools may take to end if their Claude could not end them. */
const toolsMs = 1_000

/**
 * Ends the Claude that a killed wrapper may have left behind, and the tools that this Claude left behind if it was killed
 * too. Returns false if Claude may still be alive.
 */
export async function endOrphanedClaude(
  { exec, now }: Context,
  probe: ProcessProbe,
  mission: MissionRecord,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<boolean> {
  const { id, claude_pid: pid, claude_start: start } = mission
  if (pid === null || start === null) return true
  const claude = { pid, start }
  const isEnded = await endTree(exec, probe, claude, signal, graceMs)
  if (!isEnded && !isGone(probe.liveness([claude])[0]!, mission, now())) return false
  const tools = probe.identifyAll(leftTools(exec, id, pid))
  await endProcesses(probe, tools, 'SIGTERM', Math.min(graceMs, toolsMs))
  return true
}
