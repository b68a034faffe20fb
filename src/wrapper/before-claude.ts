import type { Config } from '../config/schema.ts'
import type { MissionRecord } from '../db/missions.ts'
import { AgencError } from '../errors.ts'
import { repoConfig } from '../mission/effective-settings.ts'
import { maySetUp, runSetup } from '../mission/repo-setup.ts'
import type { Guard } from '../system/guard.ts'
import { endTree, listTree } from '../system/process-tree.ts'
import { endOrphanedClaude } from './orphaned-claude.ts'
import type { Run } from './run-mission.ts'
import { onEndingSignal } from './signal-policy.ts'

/** Throws if the Claude of an earlier, killed wrapper cannot be ended: two must never share a conversation. */
export async function endClaudeOfEarlierRun(
  { context, missions, probe }: Run,
  mission: MissionRecord,
  config: Config,
): Promise<void> {
  const { id, claude_pid: pid } = mission
  if (pid === null) return
  if (await endOrphanedClaude(context, probe, mission, 'SIGHUP', config.stop.grace_ms))
    return missions.change(id, { claude_pid: null, claude_start: null })
  throw new AgencError(
    `the Claude of an earlier run is still alive (process ${pid}) and cannot be ended`,
    'Two Claudes must not write to one conversation. End that process, then try again.',
  )
}

/** Runs the repo's setup until it has succeeded once. */
export async function setUpRepo(
  run: Run,
  mission: MissionRecord,
  config: Config,
  guard: Guard,
): Promise<void> {
  const { context, db, missions, signals } = run
  const { repo, setup_pending } = mission
  const setup = repoConfig(repo, config)?.setup
  if (setup_pending === 0 || repo === null || setup === undefined || signals.received !== null) return
  if (!maySetUp(context, db, repo)) return
  signals.listen(() => {
    if (onEndingSignal('before') === 'give-up') endSetup(run, config, guard)
  })
  try {
    await runSetup(context, context.paths.mission(mission.id), setup)
    missions.change(mission.id, { setup_pending: 0 })
  } catch (error) {
    if (signals.received === null) throw error
  }
}

/** Ends all processes that this one has started, except its guard. */
function endSetup({ context: { exec }, probe }: Run, config: Config, guard: Guard): void {
  const own = [process.pid, guard.pid]
  for (const child of listTree(exec, probe, process.pid).filter(({ pid }) => !own.includes(pid)))
    void endTree(exec, probe, child, 'SIGTERM', config.stop.grace_ms)
}
